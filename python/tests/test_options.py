"""Options by name. That their page is complete is the test docs.options of the library."""

import pendec


def test_every_option_can_be_set_to_its_own_value():
    for name, (value, _) in pendec.options("pdlm").items():
        pendec.minimize(
            pendec.objectives.SquaredDistance([1.0, 2.0]),
            [0.0, 0.0],
            set=pendec.sets.Sparse(2, 1),
            options={name: value},
        )


def test_options_are_those_of_the_method_and_preset():
    assert pendec.options("pd")["method"][0] == "pd" and pendec.options()["method"][0] == "automatic"
    assert pendec.options("pd", "paper") != pendec.options("pd")
    assert all(text for _, text in pendec.options().values())
