"""Every method and every choice of its parts ends with a certificate on a small problem of each class."""

import numpy as np
import pendec
import pytest
from pendec import Constraint, maps, objectives, sets


def generator():
    return np.random.default_rng(11)


def quadratic(n):
    B = generator().normal(size=(n, n))
    return objectives.Quadratic(B @ B.T / n + 0.1 * np.eye(n), generator().normal(size=n))


def logistic():
    A = generator().normal(size=(40, 6))
    return objectives.Logistic(A, np.where(A[:, 1] - 0.5 * A[:, 4] > 0.3 * generator().normal(size=40), 1.0, -1.0))


def correlation():
    A = np.exp(-0.4 * np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))) * np.sign(
        np.cos(np.add.outer(np.arange(8), np.arange(8)))
    )
    return objectives.SquaredDistance((A + A.T) / 2)


problems = {
    "sparse": pendec.Problem(quadratic(6), np.zeros(6), set=sets.Sparse(6, 2)),
    "portfolio": pendec.Problem(
        quadratic(8), np.full(8, 0.125), set=sets.Sparse(8, 3), constraints=Constraint(np.eye(8), sets.Simplex(8))
    ),
    "logistic": pendec.Problem(logistic(), np.zeros(6), set=sets.Sparse(6, 2)),
    "correlation": pendec.Problem(
        correlation(),
        np.eye(8),
        set=sets.PsdLowRank(8, 2),
        constraints=Constraint(maps.Diagonal(8), sets.Singleton(np.ones(8))),
    ),
    "low rank": pendec.Problem(
        objectives.SquaredDistance(generator().normal(size=(5, 4))),
        np.full((5, 4), 0.1),
        set=sets.LowRank(5, 4, 2),
        constraints=Constraint(maps.Identity(20), sets.Box(-1, 1, n=20)),
    ),
    "complementarity": pendec.Problem(
        quadratic(8),
        np.ones(8),
        set=sets.Complementarity(4),
        constraints=Constraint(np.ones((1, 8)), sets.Singleton([1.0])),
    ),
    "union": pendec.Problem(
        objectives.SquaredDistance([2.2, 0.3]),
        np.zeros(2),
        set=sets.Union([sets.Box([k, k], [k + 0.5, k + 0.5]) for k in range(4)]),
        constraints=Constraint([[1.0, 1.0]], sets.Box([None], [3.2])),
    ),
    "convex": pendec.Problem(quadratic(5), np.zeros(5), set=sets.Ball(5, 0.5)),
}


def with_options(name, method, **options):
    problem = problems[name]
    return pendec.minimize(
        problem.fun, problem.x0, set=problem.set, constraints=problem.constraints, method=method, options=options
    )


@pytest.mark.parametrize("method", ["auto", "pd", "pdlm", "alm"])
@pytest.mark.parametrize("name", problems)
def test_every_method_ends_with_a_certificate(name, method):
    r = with_options(name, method)
    problem = problems[name]
    assert r.success and (r.status == pendec.Status.converged or method == "auto")
    assert problem.set.contains(r.x, 1e-9) and r.x.shape == np.shape(problem.x0)
    again = problem.certify(r.x)  # by other code than the method's, from the point alone
    assert max(r.certificate.relative_stationarity, r.certificate.relative_infeasibility) <= 1e-6
    assert again.relative_infeasibility <= 1e-6 and again.relative_stationarity <= 1e-4
    assert r.fun == pytest.approx(problem.fun(r.x), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("method", ["pd", "pdlm", "alm"])
@pytest.mark.parametrize("name", problems)
def test_the_papers_settings_meet_their_own_tests(name, method):
    r = with_options(name, method, preset="paper")
    assert r.status in (pendec.Status.converged, pendec.Status.tests_met_uncertified)
    assert r.certificate.relative_infeasibility < 1e-2


@pytest.mark.parametrize(
    "options",
    [
        *(
            {"inner.method": "alternating", "x_update.step": step}
            for step in ("gradient", "cg", "bfgs", "lbfgs", "newton")
        ),
        {"x_update.step": "exact"},
        {"inner.method": "alternating", "x_update.line_search": "wolfe"},
        {"inner.method": "alternating", "x_update.steps": 5, "x_update.norm": "maximum", "x_update.eps_solv": 1e-9},
        {"penalty.multipliers": "none"},
        {"penalty.multipliers": "constraints"},
        {"penalty.always_increase": True, "penalty.alpha_tau": 1.5},
        {"penalty.measure": "published", "inner.test": "decrease"},
        {"penalty.duplicate_free": True, "penalty.project_start": False},
        {"driver.normalise": False},
        {"driver.polish": False},
        {"driver.stop_on_branch": False},
    ],
    ids=lambda o: ", ".join(f"{k}={v}" for k, v in o.items()),
)
def test_every_choice_of_the_parts_leads_to_a_feasible_point(options):
    r = with_options("portfolio", "pdlm", **options)
    assert r.certificate.relative_infeasibility < 1e-5 and problems["portfolio"].set.contains(r.x)
    assert options.get("driver.polish", True) is False or r.success


@pytest.mark.parametrize(
    ("option", "value", "status"),
    [
        ("maxiter", 1, pendec.Status.max_iterations),
        ("limits.seconds", 0.0, pendec.Status.max_time),
        ("limits.projections", 3, pendec.Status.max_iterations),
    ],
)
def test_limits_end_the_solve_and_say_which(option, value, status):
    r = with_options("portfolio", "pd", **{option: value, "driver.polish": False, "driver.normalise": False})
    assert r.status == status and not r.success and problems["portfolio"].set.contains(r.x)


def test_the_trace_has_one_row_per_outer_iteration():
    alone = {"driver.polish": False, "driver.normalise": False, "driver.branch_search": 0}
    r = with_options("portfolio", "pdlm", **alone)
    assert all(len(column) == r.nit for column in r.trace.values()) and np.all(np.diff(r.trace["tau"]) >= 0)
    assert len(with_options("portfolio", "pdlm", trace=False).trace["f"]) == 0


# Certificates


def test_certificates_fail_where_something_is_wrong():
    problem = problems["portfolio"]
    x = problem.solve().x
    good = problem.certify(x)
    assert good.exact_normals and not good.lambda_given and good.relative_stationarity < 1e-4
    assert problem.certify(np.full(8, 0.125)).distance_D > 0.1  # not sparse
    assert problem.certify(2 * x).relative_infeasibility > 0.1  # off the simplex
    even = np.where(x > 0, 1.0 / np.count_nonzero(x), 0.0)
    assert problem.certify(even).relative_infeasibility < 1e-9 and problem.certify(even).relative_stationarity > 1e-3
    assert "infeasibility" in str(good)


def test_certificates_verify_given_multipliers():
    problem = problems["portfolio"]
    r = problem.solve()
    right = problem.certify(r.x, r.multipliers["constraints"])
    assert right.lambda_given and right.relative_stationarity <= 1e-6
    wrong = problem.certify(r.x, [np.arange(8.0)])
    assert wrong.lambda_given and wrong.relative_stationarity > 1e-3
    with pytest.raises(ValueError, match=r"\[3\]; expected \[8\]"):
        problem.certify(r.x, [[1.0, 2.0, 3.0]])


def test_certificates_of_sets_without_normal_cones_say_so():
    class Pair:
        def project(self, x):
            return np.where(np.abs(x) == np.abs(x).max(), x, 0.0)

    problem = pendec.Problem(objectives.SquaredDistance([1.0, 3.0]), [0.5, 0.1], set=Pair())
    r = problem.solve()
    assert np.allclose(r.x, [0, 3], atol=1e-5) and not r.certificate.exact_normals


def test_infeasible_problems_are_not_called_solved():
    problem = dict(
        fun=objectives.SquaredDistance(np.zeros(4)),
        x0=np.zeros(4),
        set=sets.BoxSwitching(2, lower_x=0, upper_x=1, lower_y=0, upper_y=1),
        constraints=Constraint(np.ones((1, 4)), sets.Singleton([3.0])),
    )
    r = pendec.minimize(**problem, options={"driver.route": "general"})
    assert r.status == pendec.Status.stationary_infeasible and not r.success
    assert r.certificate.distance_C == pytest.approx(1.0)
    assert pendec.minimize(**problem).status == pendec.Status.infeasible


def test_unbounded_problems_are_not_called_solved():
    r = pendec.minimize(objectives.Linear([1.0, 0.0]), np.zeros(2), set=sets.Sparse(2, 1))
    assert not r.success and r.status == pendec.Status.unbounded


# Bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x0": []}, "dimension|empty|0"),
        ({"x0": [np.nan, 0.0]}, "nan"),
        ({"x0": [np.inf, 0.0]}, "inf"),
        ({"x0": [0.0, 0.0, 0.0]}, r"\(3,\).*\(2,\)"),
        ({"method": "newton"}, "newton"),
        ({"options": {"preset": "mine"}}, "mine"),
        ({"options": {"penalty.alpha_tau": 0.5}}, r"penalty.alpha_tau is 0.5; expected > 1"),
        ({"options": {"x_update.step": "newtn"}}, "newtn"),
        ({"options": {"limits.seconds": -1}}, "limits.seconds"),
        ({"options": {"trace": "perhaps"}}, "perhaps"),
        ({"constraints": Constraint(np.eye(2), sets.Sparse(2, 1))}, "convex"),
        ({"constraints": Constraint([[np.nan, 1.0]], sets.Singleton([1.0]))}, "nan"),
        ({"bounds": [(1, 0), (0, 1)]}, "lower"),
    ],
    ids=str,
)
def test_bad_input_is_named(arguments, message):
    given = {"fun": objectives.SquaredDistance([1.0, 2.0]), "x0": [0.0, 0.0], "set": None, **arguments}
    with pytest.raises(ValueError, match=message):
        pendec.minimize(**given)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fun": 3}, "fun is 3"),
        ({"jac": 3}, "jac is 3"),
        ({"set": 3}, "3 is not a set"),
        ({"constraints": [3]}, "a constraint is 3"),
    ],
    ids=str,
)
def test_what_is_of_the_wrong_kind_is_named(arguments, message):
    given = {"fun": lambda x: (x @ x, 2 * x), "x0": [0.0, 0.0], "jac": True, **arguments}
    with pytest.raises(TypeError, match=message):
        pendec.minimize(**given)
