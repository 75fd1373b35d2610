"""Problem files: the same bits as the program's."""

import json
import os
import pickle
import subprocess
from pathlib import Path

import pendec
import pytest

examples = sorted((Path(__file__).parents[2] / "examples/problems").glob("*.json"))


@pytest.mark.parametrize("path", examples, ids=lambda p: p.stem)
def test_results_equal_those_of_the_program_bit_for_bit(path):
    program = os.environ.get("PENDEC_PROGRAM")
    if not program:
        pytest.skip("PENDEC_PROGRAM does not name the program pendec, built with the same flags")
    printed = subprocess.run(
        [program, "solve", str(path), "--json"], capture_output=True, text=True, check=False
    ).stdout
    theirs, ours = json.loads(printed), json.loads(pendec.solve_file(path).json)
    for changing in ("seconds", "digest"):
        del theirs[changing], ours[changing]
    assert ours == theirs


@pytest.mark.parametrize("path", examples[-3:], ids=lambda p: p.stem)
def test_files_pickle_and_their_results_keep_what_they_claim(path):
    problem = pendec.read_problem(path)
    result = pickle.loads(pickle.dumps(problem)).solve()
    assert result.success and all(problem.verify(result).values())


def test_options_go_on_top_of_the_files(tmp_path):
    path = examples[-1]
    r = pendec.solve_file(path, method="pd", options={"limits.outer": 1, "trace": True})
    assert json.loads(r.json)["options"]["method"] == "pd" and len(r.trace["f"]) >= 1


def test_what_is_wrong_with_a_file_is_told_with_its_place(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"pendec": 1,')
    with pytest.raises(OSError, match="bad.json:1"):
        pendec.read_problem(bad)
