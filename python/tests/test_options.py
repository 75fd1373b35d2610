"""The page of options is complete."""

from pathlib import Path

import pendec
import pytest

page = Path(__file__).parents[2] / "docs/options.md"


@pytest.mark.parametrize("name", sorted(pendec.options()))
def test_every_option_is_documented(name):
    group, _, option = name.rpartition(".")
    text = page.read_text(encoding="utf-8")
    assert f"`{name}`" in text or f"`{option}`" in text[text.index(f"`{group}" if group else "") :], name


def test_every_option_can_be_set_to_its_own_value():
    for name, (value, _) in pendec.options("pdlm").items():
        pendec.minimize(
            pendec.objectives.SquaredDistance([1.0, 2.0]),
            [0.0, 0.0],
            set=pendec.sets.Sparse(2, 1),
            options={name: value},
        )
