"""Options by name. That their page is complete is the test docs.options of the library."""

import numpy as np
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


def test_names_and_limits_of_files_are_known():
    problem = dict(fun=pendec.objectives.Linear(np.ones(2)), x0=np.ones(2), set=pendec.sets.Ball(2, 1.0))
    assert pendec.minimize(**problem, method="automatic", options={"maxiter": np.inf}).success
