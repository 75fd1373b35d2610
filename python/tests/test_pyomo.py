"""Models of Pyomo through the program, against the same models stated in pendec.minimize."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pendec
import pytest

pe = pytest.importorskip("pyomo.environ", reason="Pyomo is not installed")
from pyomo.mpec import Complementarity, complements


@pytest.fixture(scope="module", autouse=True)
def program_on_path():
    """The program that the package brought along, or the one of the build."""
    beside = Path(sys.executable).parent / "pendec"
    named = os.environ.get("PENDEC_PROGRAM")
    program = str(beside) if beside.exists() else named or shutil.which("pendec")
    if not program:
        pytest.skip("the program pendec is neither beside Python nor named by PENDEC_PROGRAM")
    before = os.environ["PATH"]
    os.environ["PATH"] = str(Path(program).parent) + os.pathsep + before
    yield program
    os.environ["PATH"] = before


def solved(model, **options):
    """The results of a solve that ended well and was loaded into the model."""
    solver = pe.SolverFactory("pendec")
    for name, value in options.items():
        solver.options[name] = value
    results = solver.solve(model)
    assert results.solver.status == pe.SolverStatus.ok
    assert results.solver.termination_condition == pe.TerminationCondition.optimal
    return results


def values(variables):
    return np.array([pe.value(variables[i]) for i in variables])


def test_the_program_answers_at_once(program_on_path):
    seconds = []
    for _ in range(5):
        begin = time.perf_counter()
        answer = subprocess.run([program_on_path, "-v"], capture_output=True, text=True, check=True).stdout
        seconds.append(time.perf_counter() - begin)
    assert pendec.__version__ in answer
    assert min(seconds) < 0.05


def model_of(n, f, lower=-np.inf, upper=np.inf, sense=None, start=0.5):
    model = pe.ConcreteModel()
    finite = lambda bound: None if np.isinf(bound) else float(bound)
    model.x = pe.Var(range(n), bounds=(finite(lower), finite(upper)), initialize=start)
    x = [model.x[i] for i in range(n)]
    model.f = pe.Objective(expr=f(x), sense=pe.minimize if sense is None else sense)
    return model, x


def quadratic(rng, n):
    B = rng.normal(size=(n, n))
    Q, c = B @ B.T + np.eye(n), rng.normal(size=n)
    return (
        Q,
        c,
        lambda x: (
            sum(0.5 * Q[i, j] * x[i] * x[j] for i in range(n) for j in range(n)) + sum(c[i] * x[i] for i in range(n))
        ),
    )


def check_same(model, ours, x=None):
    scale = 1.0 + abs(ours.fun)
    assert abs(pe.value(model.f) - ours.fun) <= 1e-6 * scale
    if x is not None:
        np.testing.assert_allclose(values(model.x), x, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_linear_programs_with_ranges_and_senses(seed):
    rng = np.random.default_rng(seed)
    n, m = 6, 4
    A, c = rng.normal(size=(m, n)), rng.normal(size=n)
    middle = A @ rng.uniform(-0.5, 0.5, size=n)
    sense = pe.maximize if seed % 2 else pe.minimize
    model, x = model_of(n, lambda x: sum(c[i] * x[i] for i in range(n)), -1, 1, sense)
    model.rows = pe.ConstraintList()
    for r in range(m):
        model.rows.add((middle[r] - 0.5, sum(A[r, i] * x[i] for i in range(n)), middle[r] + 0.5))
    model.dual = pe.Suffix(direction=pe.Suffix.IMPORT)
    solved(model)
    sign = -1.0 if seed % 2 else 1.0
    ours = pendec.minimize(
        pendec.objectives.Linear(sign * c),
        np.zeros(n),
        set=pendec.sets.Box(-np.ones(n), np.ones(n)),
        constraints=pendec.Constraint(pendec.maps.Affine(A), pendec.sets.Box(middle - 0.5, middle + 0.5)),
    )
    assert abs(pe.value(model.f) - sign * ours.fun) <= 1e-6 * (1.0 + abs(ours.fun))
    # What a row gives is its dual: f by its right-hand side, by a perturbed solve.
    duals = np.array([model.dual[model.rows[r + 1]] for r in range(m)])
    r = int(np.argmax(np.abs(duals)))
    if abs(duals[r]) > 1e-3:
        moved, h = middle.copy(), 1e-4
        moved[r] += h
        again = pendec.minimize(
            pendec.objectives.Linear(sign * c),
            np.zeros(n),
            set=pendec.sets.Box(-np.ones(n), np.ones(n)),
            constraints=pendec.Constraint(pendec.maps.Affine(A), pendec.sets.Box(moved - 0.5, moved + 0.5)),
        )
        assert abs(sign * (again.fun - ours.fun) / h - duals[r]) <= 1e-2 * (1.0 + abs(duals[r]))


def test_terms_that_cancel_fix_nothing():
    model = pe.ConcreteModel()
    model.x = pe.Var(range(2))
    model.f = pe.Objective(expr=(model.x[0] - 2) ** 2 + (model.x[1] - 1) ** 2)
    model.row = pe.Constraint(expr=3 * (0.1 * model.x[0]) == 0.3 * model.x[0])  # which leaves 5.55e-17 x
    model.dual = pe.Suffix(direction=pe.Suffix.IMPORT)
    solved(model)
    np.testing.assert_allclose(values(model.x), [2, 1], atol=1e-6)
    assert abs(model.dual[model.row]) <= 1e-6


def test_duals_of_rows_that_fix_one_variable_after_the_other():
    model = pe.ConcreteModel()
    model.x = pe.Var(range(2))
    model.f = pe.Objective(expr=model.x[1] ** 2)
    model.first = pe.Constraint(expr=model.x[0] == 1)
    model.second = pe.Constraint(expr=model.x[1] - 2 * model.x[0] == 0)
    model.dual = pe.Suffix(direction=pe.Suffix.IMPORT)
    solved(model)
    np.testing.assert_allclose([model.dual[model.first], model.dual[model.second]], [8, 4], atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_quadratic_programs(seed):
    rng = np.random.default_rng(10 + seed)
    n = 5
    Q, c, f = quadratic(rng, n)
    a = rng.normal(size=n)
    model, x = model_of(n, f, 0)
    model.row = pe.Constraint(expr=sum(a[i] * x[i] for i in range(n)) <= 1)
    solved(model)
    ours = pendec.minimize(
        pendec.objectives.Quadratic(Q, c),
        np.zeros(n),
        set=pendec.sets.Box(np.zeros(n)),
        constraints=pendec.Constraint(
            pendec.maps.Affine(a[None, :]), pendec.sets.Box(np.array([-np.inf]), np.ones(1))
        ),
    )
    check_same(model, ours, ours.x)


@pytest.mark.parametrize("seed", range(5))
def test_nonlinear_convex_models(seed):
    rng = np.random.default_rng(20 + seed)
    n = 4
    A, b = rng.normal(size=(6, n)), rng.normal(size=6)

    def f(x):
        return sum(pe.log(1 + pe.exp(sum(A[k, i] * x[i] for i in range(n)) - b[k])) for k in range(6)) + 0.5 * sum(
            x[i] ** 2 for i in range(n)
        )

    def fun(x):
        t = np.exp(A @ x - b)
        return np.log1p(t).sum() + 0.5 * x @ x, A.T @ (t / (1 + t)) + x

    model, x = model_of(n, f, -0.1, 0.3, start=0.0)
    model.ball = pe.Constraint(expr=pe.sqrt(0.01 + sum(x[i] ** 2 for i in range(n))) <= 0.3)
    solved(model)
    ours = pendec.minimize(
        fun,
        np.zeros(n),
        jac=True,
        set=pendec.sets.Box(np.full(n, -0.1), np.full(n, 0.3)),
        constraints=pendec.Constraint(np.eye(n), pendec.sets.Ball(n, np.sqrt(0.08))),
    )
    check_same(model, ours, ours.x)


kinds = ["lower", "upper", "other upper", "equation", "expressions"]


@pytest.mark.parametrize("seed", range(10))
def test_complementarity_of_all_kinds(seed):
    """min ½‖x − c‖² + ½‖y − d‖², pairs of x_k and (A x + y)_k, against all choices of who is at its bound."""
    rng = np.random.default_rng(30 + seed)
    n, kind = 3, kinds[seed % len(kinds)]
    c, d, A = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(n, n))
    model = pe.ConcreteModel()
    model.x = pe.Var(range(n), initialize=0.1)
    model.y = pe.Var(range(n), initialize=0.1)
    model.f = pe.Objective(
        expr=sum(0.5 * (model.x[i] - c[i]) ** 2 + 0.5 * (model.y[i] - d[i]) ** 2 for i in range(n))
    )
    body = [sum(A[k, i] * model.x[i] for i in range(n)) + model.y[k] for k in range(n)]
    pair = {  # what holds, and the signs of x and of the body where neither is zero
        "lower": lambda k: (complements(model.x[k] >= 0, body[k] >= 0), 1, 1),
        "upper": lambda k: (complements(model.x[k] <= 0, body[k] <= 0), -1, -1),
        "other upper": lambda k: (complements(model.x[k] >= 0, body[k] <= 0), 1, -1),
        "equation": lambda k: (complements(model.x[k], body[k] == 0), 0, 0),
        "expressions": lambda k: (complements(2 * model.x[k] >= 0, 3 * body[k] >= 0), 1, 1),
    }
    made = [pair[kind](k) for k in range(n)]
    model.pairs = Complementarity(range(n), rule=lambda m, k: made[k][0])
    solved(model)
    x, y = values(model.x), values(model.y)
    F = A @ x + y
    _, sign_x, sign_F = made[0]
    if kind == "equation":
        np.testing.assert_allclose(F, 0, atol=1e-6)
    else:
        assert (sign_x * x >= -1e-6).all() and (sign_F * F >= -1e-6).all()
        assert np.abs(x * F).max() <= 1e-6
    # The same model with pairs of this package.
    S_x = np.hstack([(sign_x or 1) * np.eye(n), np.zeros((n, n))])
    S_F = (sign_F or 1) * np.hstack([A, np.eye(n)])
    target = np.concatenate([c, d])
    objective = pendec.objectives.Quadratic(np.eye(2 * n), -target)
    if kind == "equation":
        ours = pendec.minimize(
            objective,
            np.zeros(2 * n),
            constraints=pendec.Constraint(pendec.maps.Affine(S_F), pendec.sets.Singleton(np.zeros(n))),
        )
        best = ours.fun
    else:
        best = least_over_sides(objective, S_x, S_F, n)
    assert abs(pe.value(model.f) - (best + 0.5 * target @ target)) <= 1e-6 * (1 + abs(best))


def least_over_sides(objective, S_x, S_F, n):
    """Every pair on either side: what is left is a convex quadratic program."""
    best = np.inf
    both = pendec.maps.Affine(np.vstack([S_x, S_F]))
    for sides in np.ndindex(*([2] * n)):
        at_zero = np.array(sides, dtype=bool)
        upper = np.concatenate([np.where(at_zero, 0.0, np.inf), np.where(at_zero, np.inf, 0.0)])
        one = pendec.minimize(
            objective,
            np.zeros(S_x.shape[1]),
            constraints=pendec.Constraint(both, pendec.sets.Box(np.zeros(2 * n), upper)),
        )
        if one.success:
            best = min(best, one.fun)
    return best


@pytest.mark.parametrize("seed", range(5))
def test_special_ordered_sets_are_proved(seed):
    rng = np.random.default_rng(50 + seed)
    n = 6
    Q, c, f = quadratic(rng, n)
    model, _ = model_of(n, f, 0, 10)
    model.first = pe.SOSConstraint(var=model.x, index=[0, 1, 2], sos=1)
    model.second = pe.SOSConstraint(var=model.x, index=[3, 4, 5], sos=1)
    model.bound = pe.Suffix(direction=pe.Suffix.IMPORT)
    solved(model)
    ours = pendec.minimize(
        pendec.objectives.Quadratic(Q, c),
        np.zeros(n),
        set=pendec.sets.GroupCounts(n, [[0, 1, 2], [3, 4, 5]], [1, 1], None, np.zeros(n), np.full(n, 10.0)),
    )
    assert ours.status.name == "optimal"
    check_same(model, ours, ours.x)
    assert abs(model.bound[model.f] - ours.fun) <= 1e-6 * (1 + abs(ours.fun))


def test_a_portfolio_with_a_cardinality_suffix_is_proved():
    rng = np.random.default_rng(3)
    n = 12
    Q, _, f = quadratic(rng, n)
    model, x = model_of(n, f, 0, 1)
    model.del_component(model.f)
    model.f = pe.Objective(expr=sum(0.5 * Q[i, j] * x[i] * x[j] for i in range(n) for j in range(n)))
    model.budget = pe.Constraint(expr=sum(x) == 1)
    model.card_group = pe.Suffix(direction=pe.Suffix.EXPORT)
    model.card_limit = pe.Suffix(direction=pe.Suffix.EXPORT)
    model.semicont_lower = pe.Suffix(direction=pe.Suffix.EXPORT)
    for i in range(n):
        model.card_group[x[i]], model.card_limit[x[i]], model.semicont_lower[x[i]] = 1, 3, 0.2
    results = solved(model)
    weights = values(model.x)
    assert "optimal" in results.solver.message and "sparse_qp" in results.solver.message
    assert (np.abs(weights) > 1e-9).sum() <= 3
    assert ((np.abs(weights) < 1e-9) | (weights >= 0.2 - 1e-9)).all()
    ours = pendec.minimize(
        pendec.objectives.Quadratic(Q, np.zeros(n)),
        np.full(n, 1 / n),
        set=pendec.sets.SparseBox(np.full(n, 0.2), np.ones(n), 3),
        constraints=pendec.Constraint(np.ones((1, n)), pendec.sets.Singleton(np.ones(1))),
    )
    assert ours.status.name == "optimal"
    check_same(model, ours)


def test_what_is_wrong_is_said_in_the_message():
    solver = pe.SolverFactory("pendec")
    model, x = model_of(2, lambda x: x[0] ** 2 + x[1], 0, 1)
    model.contradiction = pe.Constraint(expr=x[0] + x[1] >= 5)
    results = solver.solve(model, load_solutions=False)
    assert results.solver.termination_condition == pe.TerminationCondition.infeasible

    model, x = model_of(2, lambda x: x[0] ** 2, 0, 1)
    model.k = pe.Var(domain=pe.Integers, bounds=(0, 7))
    model.row = pe.Constraint(expr=model.k + x[1] >= 0.5)
    results = solver.solve(model, load_solutions=False)
    assert results.solver.status == pe.SolverStatus.error
    assert "integer variable" in results.solver.message

    model, x = model_of(2, lambda x: x[0] ** 2, 0, 1)
    solver.options["secnds"] = 1
    results = solver.solve(model, load_solutions=False)
    assert results.solver.status == pe.SolverStatus.error
    assert "seconds" in results.solver.message
