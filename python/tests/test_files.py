"""Problem files: the same bits as the program's."""

import json
import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pendec
import pytest

examples = sorted((Path(__file__).parents[2] / "examples/problems").glob("*.json"))


@pytest.mark.parametrize("path", examples, ids=lambda p: p.stem)
def test_results_equal_those_of_the_program_bit_for_bit(path):
    program = os.environ.get("PENDEC_PROGRAM")
    if not program:
        pytest.skip("PENDEC_PROGRAM does not name the program pendec, built with the same flags")
    with subprocess.Popen([program, "solve", str(path), "--json"], stdout=subprocess.PIPE, text=True) as process:
        ours = json.loads(pendec.solve_file(path).to_json())  # at the same time
        theirs = json.loads(process.communicate()[0])
    for changing in ("seconds", "digest", "problem"):
        del theirs[changing], ours[changing]
    assert ours == theirs


@pytest.mark.parametrize("path", examples[-3:], ids=lambda p: p.stem)
def test_files_pickle_and_their_results_keep_what_they_claim(path):
    problem = pendec.read_problem(path)
    result = pickle.loads(pickle.dumps(problem)).solve()
    assert result.success and all(problem.verify(result).values())


def test_a_result_that_was_edited_does_not_verify():
    problem = pendec.read_problem(examples[-1])
    result = problem.solve()
    edited = json.loads(result.to_json())
    edited["f"] -= 1.0
    assert not all(problem.verify(json.dumps(edited)).values())


def test_files_are_read_from_text_and_written_again():
    text = examples[-1].read_text(encoding="utf-8")
    problem = pendec.ProblemFile.parse(text, examples[-1].parent)
    again = pendec.ProblemFile.parse(problem.to_json())
    assert again.name == json.loads(text)["name"] and np.array_equal(again.x0, problem.x0)
    assert again.to_json() == problem.to_json()


def test_options_go_on_top_of_the_files(tmp_path):
    path = examples[-1]
    r = pendec.solve_file(path, method="pd", options={"limits.outer": 1, "trace": True})
    assert json.loads(r.to_json())["options"]["method"] == "pd" and len(r.trace["f"]) >= 1


def test_what_is_wrong_with_a_file_is_told_with_its_place(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"pendec": 1,')
    with pytest.raises(OSError, match="bad.json:1"):
        pendec.read_problem(bad)
    bad.write_text('{"pendec": 1, "objective": {"type": "linear", "c": [1, 2]}, "D": {"type": "sparse", "s": 3}}')
    with pytest.raises(ValueError, match=r"D.s is 3; expected 0 <= s <= n = 2"):
        pendec.read_problem(bad)
    with pytest.raises(OSError, match="missing.json"):
        pendec.solve_file(tmp_path / "missing.json")


def test_a_result_of_another_problem_does_not_verify():
    file = pendec.read_problem(examples[0])
    assert not all(file.verify(pendec.minimize(pendec.objectives.SquaredDistance([1.0]), [0.0])).values())
    with pytest.raises(ValueError, match="no result of a solver"):
        file.verify(pendec.Result(x=np.zeros(1)))


def test_data_files_can_be_confined_to_the_folder(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "outside.csv").write_text("1\n")
    text = '{"pendec": 1, "objective": {"type": "linear", "c": {"file": "../outside.csv"}}, "D": {"type": "sphere", "n": 1}}'
    path = tmp_path / "p" / "p.json"
    path.write_text(text)
    assert pendec.solve_file(path).success
    for confined in (
        lambda: pendec.solve_file(path, confine=True),
        lambda: pendec.read_problem(path, confine=True),
        lambda: pendec.ProblemFile.parse(text, path.parent, confine=True),
    ):
        with pytest.raises(pendec.InvalidArgument, match=r"objective.c.file is .*in the folder of the problem"):
            confined()
