"""CVXPY's problems with choices: the optimum of the choices against enumeration by CVXPY itself."""

import itertools
import signal
import threading

import numpy as np
import pytest

import pendec

cp = pytest.importorskip("cvxpy", reason="CVXPY is not installed")
import pendec.cvxpy

seeds = range(30)


def random_problem(rng, n, bounded=True):
    """A convex quadratic problem of one of several forms, half of them maximised, and its variable."""
    w = cp.Variable(n)
    B, b = rng.normal(size=(n + 2, n)), rng.normal(size=n + 2)
    f = [
        lambda: 0.5 * cp.quad_form(w, B.T @ B / n + 0.1 * np.eye(n)) - b[:n] @ w + 1.5,
        lambda: cp.sum_squares(B @ w - b),
        lambda: cp.sum_squares(B @ w - b) + 0.3 * cp.norm1(w),
        lambda: cp.sum_squares(B @ w - 3 * b) + 0.2 * cp.max(w) + cp.sum(cp.pos(w - 0.2)),
        lambda: cp.sum_squares(w[:3] - b[:3]) + cp.quad_form(w, np.diag(rng.uniform(0.5, 2, n))) + 2 * w[0],
    ][rng.integers(5)]()
    constraints = [w >= rng.uniform(-2, -0.5), w <= rng.uniform(0.5, 2, n)] if bounded else []
    if rng.random() < 0.5:
        constraints.append(cp.sum(w) == rng.uniform(0.2, 1))
    if rng.random() < 0.5:
        constraints.append(rng.normal(size=(2, n)) @ w <= rng.uniform(0.5, 1, 2))
    objective = cp.Minimize(f) if rng.random() < 0.5 else cp.Maximize(-f)
    return cp.Problem(objective, constraints), w


def enumerated(problem, branches):
    """The best value over lists of constraints, each a convex problem for CVXPY; none: infeasible."""
    values = []
    for branch in branches:
        part = cp.Problem(problem.objective, problem.constraints + branch)
        try:
            part.solve(solver=cp.CLARABEL)
        except cp.SolverError:  # so it may end where constraints contradict each other
            continue
        if part.status in cp.settings.SOLUTION_PRESENT:
            values.append(part.value)
    best = max if isinstance(problem.objective, cp.Maximize) else min
    return best(values, default=None)


def check(problem, branches, **choices):
    expected = enumerated(problem, branches)
    for variable in problem.variables():
        variable.value = None
    result = pendec.cvxpy.solve(problem, **choices)
    if expected is None:
        assert problem.status == "infeasible"
        return None
    assert problem.status == "optimal" and result.certified and result.success, result
    assert problem.value == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert problem.value == problem.objective.value == result.fun
    sign = -1 if isinstance(problem.objective, cp.Maximize) else 1
    assert -1e-12 * (1 + abs(result.fun)) <= sign * (result.fun - result.bound) <= 1e-8 * (1 + abs(result.fun))
    assert all(np.max(constraint.violation()) <= 1e-8 for constraint in problem.constraints)
    return result


def zeros(n, nonzero):
    return [i for i in range(n) if i not in nonzero]


@pytest.mark.parametrize("seed", seeds)
def test_cardinality_is_that_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    n, most = 5, int(rng.integers(1, 4))
    problem, w = random_problem(rng, n)
    branches = [[w[zeros(n, chosen)] == 0] for chosen in itertools.combinations(range(n), most)]
    if check(problem, branches, cardinality=[(w, most)]):
        assert np.count_nonzero(w.value) <= most
        ours = [constraint.dual_value for constraint in problem.constraints[2:]]
        cp.Problem(problem.objective, [*problem.constraints, w[w.value == 0] == 0]).solve(solver=cp.CLARABEL)
        for dual, constraint in zip(ours, problem.constraints[2:]):
            np.testing.assert_allclose(dual, constraint.dual_value, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("seed", seeds)
def test_semicontinuous_variables_are_those_of_enumeration(seed):
    rng = np.random.default_rng(100 + seed)
    n, least, most = 4, rng.uniform(0.1, 0.4), rng.uniform(0.45, 1.0)
    problem, w = random_problem(rng, n)
    branches = [
        [c for i in range(n) for c in ([w[i] >= least, w[i] <= most] if on[i] else [w[i] == 0])]
        for on in itertools.product([False, True], repeat=n)
    ]
    if check(problem, branches, semicontinuous=[(w, least, most)]):
        assert all(v == 0 or least - 1e-9 <= v <= most + 1e-9 for v in w.value)


@pytest.mark.parametrize("seed", seeds)
def test_counts_of_groups_are_those_of_enumeration(seed):
    rng = np.random.default_rng(200 + seed)
    n, groups, counts = 6, [[0, 1, 2], [3, 5]], [int(rng.integers(1, 3)), 1]
    problem, w = random_problem(rng, n)
    choices = itertools.product(*(itertools.combinations(g, k) for g, k in zip(groups, counts)))
    branches = [[w[zeros(n, {*a, *b, 4})] == 0] for a, b in choices]
    check(problem, branches, group_counts=[(w, groups, counts)])


@pytest.mark.parametrize("seed", seeds)
def test_complementary_pairs_are_those_of_enumeration(seed):
    rng = np.random.default_rng(300 + seed)
    n = 6
    problem, w = random_problem(rng, n)
    M, r = rng.normal(size=(3, n)), rng.normal(size=3)
    a, b = w[:3], (w[3:] if seed % 2 else M @ w + r)
    branches = [
        [a >= 0, b >= 0, *((a if side else b)[i] == 0 for i, side in enumerate(sides))]
        for sides in itertools.product([False, True], repeat=3)
    ]
    if check(problem, branches, complementary=[(a, b)]):
        assert np.max(np.abs(a.value * b.value)) <= 1e-9


@pytest.mark.parametrize("seed", seeds)
def test_boolean_variables_are_those_of_enumeration(seed):
    rng = np.random.default_rng(400 + seed)
    n = 4
    problem, w = random_problem(rng, n)
    costs = rng.normal(size=n)

    def with_switches(on):
        objective = problem.objective + type(problem.objective)(costs @ on)
        return cp.Problem(objective, [*problem.constraints, w <= 0.6 * on, w >= -0.8 * on, cp.sum(on) <= 3])

    fixed, on = cp.Variable(n), cp.Variable(n, boolean=True)
    branches = [[fixed == np.array(values)] for values in itertools.product([0.0, 1.0], repeat=n)]
    switched = with_switches(on)
    expected = enumerated(with_switches(fixed), branches)
    result = pendec.cvxpy.solve(switched)
    assert switched.status == "optimal" and result.certified
    assert switched.value == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert set(on.value) <= {0.0, 1.0}


@pytest.mark.parametrize("seed", seeds)
def test_several_choices_among_the_same_variables_are_those_of_enumeration(seed):
    rng = np.random.default_rng(500 + seed)
    n = 4
    problem, w = random_problem(rng, n, bounded=seed % 2 == 0)
    held = rng.uniform(0.1, 0.5, n)
    branches = [  # at most two change, at most three are not zero, nor are both of the last two
        [w[same] == held[same], w[zeros(n, kept)] == 0, w[gone] == 0]
        for same in map(list, itertools.combinations(range(n), 2))
        for kept in itertools.combinations(range(n), 3)
        for gone in (2, 3)
        if set(same) <= set(kept) and gone not in same
    ]
    counts = {"cardinality": [(w - held, 2), (2 * w, 3)], "group_counts": [(w[2:], [[0, 1]], [1])]}
    check(problem, branches, **counts)


@pytest.mark.parametrize("seed", range(10))
def test_without_choices_the_problem_is_solved_as_by_cvxpy(seed):
    problem, w = random_problem(np.random.default_rng(600 + seed), 5, bounded=False)
    problem.solve(solver=cp.CLARABEL)
    expected = problem.value, w.value
    assert problem.solve(method="pendec", cardinality=5) == pytest.approx(expected[0], rel=1e-6, abs=1e-6)
    assert problem.status == "optimal"
    np.testing.assert_allclose(w.value, expected[1], atol=1e-4)


def portfolio(n=12, **attributes):
    rng = np.random.default_rng(8)
    loadings = rng.normal(size=(n, 3))
    covariance = 0.02 * loadings @ loadings.T + np.diag(rng.uniform(0.01, 0.05, n))
    mean = rng.uniform(0.02, 0.12, n)
    return cp.Variable(n, **attributes), mean, covariance


def test_parameters_take_their_values_and_variables_their_attributes():
    w, mean, covariance = portfolio(nonneg=True, name="w")
    gamma = cp.Parameter(nonneg=True)
    problem = cp.Problem(cp.Maximize(mean @ w - gamma * cp.quad_form(w, covariance)), [cp.sum(w) == 1])
    best = np.inf
    for gamma.value in (0.5, 2.0, 8.0):
        result = pendec.cvxpy.solve(problem, cardinality=[(w, 3)], semicontinuous=[(w, 0.1, 0.7)])
        ours = pendec.sparse_qp(
            2 * gamma.value * covariance, -mean, 3, E=np.ones((1, 12)), d=[1.0], lower=np.full(12, 0.1), upper=0.7
        )
        assert problem.status == "optimal" and problem.value == pytest.approx(-ours.fun, rel=1e-9)
        assert result.bound >= problem.value and result.gap <= 1e-8
        np.testing.assert_array_equal(result["values"]["w"], w.value)
        assert problem.solver_stats.extra_stats is result
        assert problem.value < best
        best = problem.value


def test_a_matrix_is_counted_column_by_column():
    X = cp.Variable((3, 2))
    A = np.array([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]])
    problem = cp.Problem(cp.Minimize(cp.sum_squares(X - A)))
    pendec.cvxpy.solve(problem, group_counts=([[0, 1, 2], [3, 4]], [1, 1]))
    np.testing.assert_allclose(X.value, [[0, 0], [0, 5], [3, 6]], atol=1e-12)
    pendec.cvxpy.solve(problem, cardinality=2)
    np.testing.assert_allclose(X.value, [[0, 0], [0, 5], [0, 6]], atol=1e-12)


def test_entries_that_are_equal_count_each():
    x = cp.Variable(4)
    f = cp.Minimize(cp.sum_squares(x - np.array([1.0, 2.0, 3.0, 4.0])))
    pendec.cvxpy.solve(cp.Problem(f, [x[2] == x[3]]), cardinality=1)
    np.testing.assert_allclose(x.value, [0, 2, 0, 0], atol=1e-12)
    pendec.cvxpy.solve(cp.Problem(f), cardinality=[(cp.hstack([x, x]), 5)])
    np.testing.assert_allclose(x.value, [0, 0, 3, 4], atol=1e-12)


def near(target=(2.0, 1.0)):
    """A variable, and its squared distance to a point."""
    x = cp.Variable(2, name="x")
    return x, cp.sum_squares(x - np.array(target))


third = cp.Parameter(value=0.1)


@pytest.mark.parametrize(
    "cancelled",
    [
        lambda x: 3 * (0.1 * x) - 0.3 * x,
        lambda x: 0.1 * x + 0.2 * x - 0.3 * x,
        lambda x: 3 * (1.1 * x) - 3.3 * x,
        lambda x: 3 * (x / 10) - 0.3 * x + 0.1 + cp.Constant(0.2) - 0.3,
        lambda x: 1e8 * (0.1 * x) * 3 - 0.3e8 * x,
        lambda x: 1e-8 * (0.1 * x) * 3 - 0.3e-8 * x,
        lambda x: 3 * (third * x) - 0.3 * x,
        lambda x: (3 * third - 0.3) * x,
        lambda x: 3 * np.array([[0.1, 0.2], [0.3, 0.1]]) @ x - np.array([[0.3, 0.6], [0.9, 0.3]]) @ x,
    ],
)
def test_what_cancels_up_to_rounding_is_nothing(cancelled):
    x, f = near()
    for constraints in ([cancelled(x) == 0], [cancelled(x) <= 0], [cp.norm1(cancelled(x)) <= 0]):
        problem = cp.Problem(cp.Minimize(f), constraints)
        pendec.cvxpy.solve(problem)
        assert problem.status == "optimal"
        np.testing.assert_allclose(x.value, [2, 1], atol=1e-8)
    y = cp.Variable(2)  # f does not fall along it
    problem = cp.Problem(cp.Minimize(f + cp.sum(cancelled(y) - cancelled(y))), [y >= -1])
    pendec.cvxpy.solve(problem, cardinality=[(x, 1)])
    assert problem.status == "optimal" and problem.value == pytest.approx(1)


def test_rows_of_data_that_cancelled_before_say_nothing():
    x, f = near()
    for constraint in ((3 * 0.1 - 0.3) * x[0] == 0, (3 * 0.1 - 0.3) * x <= 0):
        problem = cp.Problem(cp.Minimize(f), [constraint])
        pendec.cvxpy.solve(problem)
        assert problem.status == "optimal"
        np.testing.assert_allclose(x.value, [2, 1], atol=1e-8)


def test_equations_that_say_the_same_up_to_rounding_are_one():
    (x, f), y = near(), cp.Variable(2)
    for offset in (0, 0.1):
        same = [y == 0.1 * x + offset, 3 * y == 0.3 * x + 3 * offset, 0.7 * y == 0.07 * x + 0.7 * offset]
        problem = cp.Problem(cp.Minimize(f), same)
        pendec.cvxpy.solve(problem, cardinality=[(x, 1)])
        assert problem.status == "optimal"
        np.testing.assert_allclose(x.value, [2, 0], atol=1e-8)


@pytest.mark.parametrize("scale", [1e-17, 1e-12, 1e-9, 1e9, 1e12])
def test_small_and_large_coefficients_mean_what_they_say(scale):
    x, f = near()
    for constraint, expected in (
        (scale * x[0] == scale, [1, 1]),
        (scale * cp.sum(x) == scale, [1, 0]),
        (scale * cp.sum(x) <= scale, [1, 0]),
        (scale * x[0] <= 0 if scale >= 1e-12 else x[0] <= 0, [0, 1]),
    ):
        problem = cp.Problem(cp.Minimize(f), [constraint, x <= 1e6])
        pendec.cvxpy.solve(problem)
        assert problem.status == "optimal"
        np.testing.assert_allclose(x.value, expected, atol=1e-6)


def test_problems_in_which_nothing_is_left_to_find_have_their_value():
    x, f = near()
    on = cp.Variable(2, boolean=True)
    for value, objective, constraints, choices in (
        (3, cp.Minimize(3), [], {}),
        (3, cp.Maximize(3), [cp.Constant(1) <= 2], {}),
        (7, cp.Minimize(7), [x >= 1], {}),
        (0, cp.Minimize(0 * cp.sum(x)), [], {}),
        (5, cp.Minimize(5), [], {"cardinality": [(cp.Constant([0, 1]), 1)]}),
        (0, cp.Minimize(f), [0 * x == 0], {}),
        (5, cp.Minimize(f), [x == 3], {}),
        (-5, cp.Maximize(-f), [x >= 3, x <= 3], {}),
        (8, cp.Minimize(f), [x == [0, 3]], {"cardinality": 1}),
        (5, cp.Minimize(f), [], {"cardinality": 0}),
        (5, cp.Minimize(f), [], {"semicontinuous": (0, 0)}),
        (0, cp.Minimize(on @ [1, -1]), [on == 1], {}),
    ):
        problem = cp.Problem(objective, constraints)
        result = pendec.cvxpy.solve(problem, **choices)
        assert problem.status == "optimal" and result.certified
        assert problem.value == pytest.approx(value, abs=1e-9) and result.bound == pytest.approx(value, abs=1e-9)


def test_an_integer_between_bounds_that_leave_one_is_a_number():
    try:
        lots = cp.Variable(2, integer=True, bounds=[[3, 4], [3, 4]])
    except ValueError:
        pytest.skip("this CVXPY has no integers with bounds")
    problem = cp.Problem(cp.Minimize(cp.sum_squares(lots - 1)))
    pendec.cvxpy.solve(problem)
    assert problem.status == "optimal" and problem.value == pytest.approx(13)


def test_contradictions_are_proved_where_nothing_is_chosen():
    x, f = near()
    on = cp.Variable(2, boolean=True)
    for constraints, choices in (
        ([cp.Constant(1) >= 2], {}),
        ([0 * x[0] == 1], {}),
        ([0 * x[0] <= -1], {}),
        ([x == 2, x == 3], {}),
        ([x <= 2, x >= 3], {}),
        ([cp.sum(x) == 1], {"cardinality": 0}),
        ([x == [1, 3]], {"cardinality": 1}),
        ([on == 0.5], {}),
    ):
        for objective in (f, 0):
            problem = cp.Problem(cp.Minimize(objective + 0 * x[0]), constraints)
            pendec.cvxpy.solve(problem, **choices)
            assert problem.status == "infeasible" and problem.value == np.inf


def test_what_falls_for_ever_is_unbounded():
    x, _ = near()
    for problem, value in (
        (cp.Problem(cp.Minimize(x[0])), -np.inf),
        (cp.Problem(cp.Minimize(x[0] + x[1] ** 2), [x[0] <= x[1]]), -np.inf),
        (cp.Problem(cp.Maximize(cp.sum(x)), [x >= 0]), np.inf),
    ):
        pendec.cvxpy.solve(problem)
        assert problem.status == "unbounded" and problem.value == value


units = [(1e6, 1), (1e-6, 1), (1, 1e6), (1, 1e-6), (1e6, 1e-6), (1e-6, 1e6)]


def in_units(seed, of_w, of_f):
    """A problem with choices in the given units, and its variable."""
    rng = np.random.default_rng(seed)
    n, w = 6, cp.Variable(6)
    v = w / of_w
    B, b = rng.normal(size=(n + 2, n)), rng.normal(size=n + 2)
    f = [
        lambda: cp.sum_squares(B @ v - b),
        lambda: 0.5 * cp.quad_form(w, B.T @ B / n / of_w**2) - b[:n] @ v,
        lambda: cp.sum_squares(B @ v - b) + 0.3 * cp.norm1(v),
        lambda: cp.sum_squares(B @ v - 3 * b) + 0.2 * cp.max(v) + cp.sum(cp.pos(v - 0.2)),
    ][seed % 4]()
    constraints = [cp.sum(w) == 0.7 * of_w] if rng.random() < 0.5 else []
    if rng.random() < 0.5:
        constraints.append(rng.normal(size=(2, n)) @ w <= 0.5 * of_w)
    on, choices = cp.Variable(n, boolean=True, name="on"), {}
    kind = seed // 4
    if kind == 0:
        choices["cardinality"] = [(w, 2)]
    elif kind == 1:
        choices["semicontinuous"] = [(w, 0.3 * of_w, 0.9 * of_w)]
    elif kind == 2:
        choices["complementary"] = [(w[:3], w[3:])]
    elif kind == 3:
        constraints.append(cp.norm1(w) <= 1.3 * of_w)
    else:
        f += 0.3 * cp.sum(on)
        constraints += [w <= 0.8 * of_w * on, w >= -0.8 * of_w * on]
    return cp.Problem(cp.Minimize(of_f * f), constraints), w, choices


@pytest.mark.parametrize("seed", range(20))
def test_units_of_variables_and_objective_change_nothing(seed):
    problem, w, choices = in_units(seed, 1, 1)
    pendec.cvxpy.solve(problem, **choices)
    assert problem.status == "optimal"
    for of_w, of_f in units:
        scaled, scaled_w, choices = in_units(seed, of_w, of_f)
        pendec.cvxpy.solve(scaled, **choices)
        assert scaled.status == "optimal"
        assert scaled.value / of_f == pytest.approx(problem.value, rel=1e-8, abs=1e-8)
        np.testing.assert_allclose(scaled_w.value / of_w, w.value, atol=1e-5)
        if "on" in {variable.name() for variable in problem.variables()}:  # then duals may be several
            continue
        for own, given in zip(problem.constraints, scaled.constraints):
            np.testing.assert_allclose(given.dual_value * of_w / of_f, own.dual_value, atol=1e-5)


def test_norms_and_sums_of_the_largest_bound_what_is_chosen():
    x = cp.Variable(3)
    target = np.array([1, 2, 0.5])
    for constraint in (
        cp.norm1(x) <= 0.7,
        cp.norm_inf(x) <= 0.5,
        cp.sum_largest(x, 2) <= 0.7,
        cp.sum_largest(cp.abs(x), 2) <= 0.7,
        cp.tv(x) <= 0.3,
    ):
        for f in (cp.sum_squares(x - target), cp.norm1(x - target), cp.norm_inf(x - target) + 0.1 * cp.norm1(x)):
            problem = cp.Problem(cp.Minimize(f), [constraint])
            check(problem, [[x[i] == 0] for i in range(3)], cardinality=[(x, 2)])
    linear = cp.Problem(cp.Maximize(np.array([1, 2, 3]) @ x), [cp.norm1(x) <= 2])
    check(linear, [[x[[0, 1]] == 0], [x[[0, 2]] == 0], [x[[1, 2]] == 0]], cardinality=[(x, 1)])


def test_curvature_that_is_singular_up_to_rounding_bounds_nothing():
    x = cp.Variable(3)
    f = cp.sum_squares(x[0] + x[1] - 1) + (x[2] - 1) ** 2
    branches = [[x[zeros(3, [i])] == 0] for i in range(3)]
    check(cp.Problem(cp.Minimize(f), [cp.norm1(x) <= 5]), branches, cardinality=1)
    bounded = [x <= 5, x >= -5]
    check(cp.Problem(cp.Minimize(cp.sum(cp.huber(x - np.array([1, 2, 0.3])))), bounded), branches, cardinality=1)


def test_duals_are_those_of_the_choice_that_was_found():
    w, mean, covariance = portfolio()
    target = cp.Parameter(value=0.08)
    problem = cp.Problem(cp.Minimize(cp.quad_form(w, covariance)), [cp.sum(w) == 1, mean @ w >= target, w >= 0])
    pendec.cvxpy.solve(problem, cardinality=[(w, 3)])
    value, dual, h = problem.value, problem.constraints[1].dual_value, 1e-6
    target.value += h
    pendec.cvxpy.solve(problem, cardinality=[(w, 3)])
    assert dual > 0 and (problem.value - value) / h == pytest.approx(dual, rel=1e-3)


def test_what_is_infeasible_unbounded_or_not_proved_has_the_words_of_cvxpy():
    w, mean, covariance = portfolio()
    problem = cp.Problem(cp.Minimize(cp.quad_form(w, covariance)), [cp.sum(w) == 1, w >= 0, w <= 0.3])
    result = pendec.cvxpy.solve(problem, cardinality=[(w, 3)])
    assert problem.status == "infeasible" and problem.value == np.inf and w.value is None
    assert result.fun == np.inf and not result.success
    with pytest.warns(UserWarning, match="inaccurate"):
        result = pendec.cvxpy.solve(problem, cardinality=[(w, 4)], seconds=0)
    assert problem.status == "optimal_inaccurate" and np.count_nonzero(w.value) <= 4
    assert result.bound <= result.fun == problem.value


def test_an_interrupted_proof_leaves_its_best_point_in_the_problem(monkeypatch):
    rng = np.random.default_rng(0)
    output, on, need = cp.Variable(30), cp.Variable(30, boolean=True), rng.uniform(0.5, 2, 30)
    cost = (
        rng.uniform(1, 3, 30) @ output + cp.sum_squares(output) + 3 * cp.sum(on) + 8 * cp.sum(cp.pos(need - output))
    )
    problem = cp.Problem(cp.Minimize(cost), [output <= 3 * on, output >= on])
    minimize, timer = pendec._choices.minimize, threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,))

    def interrupted(*arguments, **named):  # while the proof runs, however long CVXPY took before
        timer.start()
        return minimize(*arguments, **named)

    monkeypatch.setattr(pendec._choices, "minimize", interrupted)
    with pytest.raises(pendec.Interrupted) as caught, pytest.warns(UserWarning, match="inaccurate"):
        pendec.cvxpy.solve(problem, seconds=60)
    timer.join()
    result = caught.value.result
    assert problem.status == "user_limit" and result.bound < result.fun == problem.value < np.inf


def test_what_is_no_quadratic_program_is_refused_with_the_reason():
    w, mean, covariance = portfolio(name="w")
    f = cp.Minimize(cp.quad_form(w, covariance))
    risk = cp.quad_form(w, covariance) <= 0.1

    def refused(problem, error, message, **choices):
        with pytest.raises(error, match=message):
            pendec.cvxpy.solve(problem, **choices)

    refused(cp.Problem(f, [w >= 0, risk]), ValueError, r"constraints\[1\], QuadForm.*neither linear nor piecewise")
    refused(cp.Problem(f, [cp.SOC(1, w)]), ValueError, r"constraints\[0\].*neither linear")
    refused(cp.Problem(cp.Minimize(cp.norm(w))), ValueError, "its objective, minimize Pnorm.*neither quadratic")
    refused(cp.Problem(cp.Minimize(cp.sum(cp.exp(w)))), ValueError, "objective.*exp.*neither quadratic")
    refused(cp.Problem(cp.Maximize(cp.quad_form(w, covariance))), cp.DCPError, "DCP")
    whole = cp.Variable(3, integer=True, name="lots")
    refused(cp.Problem(cp.Minimize(cp.sum_squares(whole))), ValueError, "variable lots is integer")
    refused(f, TypeError, "expected a cvxpy.Problem")


def test_choices_that_make_no_sense_are_refused_by_name():
    w, _, covariance = portfolio(name="w")
    other = cp.Variable(12, name="other")
    problem = cp.Problem(cp.Minimize(cp.quad_form(w, covariance)), [cp.sum(w) == 1])

    def refused(message, **choices):
        with pytest.raises((TypeError, ValueError), match=message):
            pendec.cvxpy.solve(problem, **choices)

    refused(r"cardinality\[0\] has abs\(w\).*expected a real variable or affine", cardinality=[(cp.abs(w), 3)])
    refused(r"cardinality\[0\] has the variable other; expected variables of the problem", cardinality=[(other, 3)])
    refused(r"cardinality\[0\].*count is -1; expected at least 0", cardinality=[(w, -1)])
    refused(r"cardinality has .*expected a list of \(w, most\)", cardinality=[(w, 3, 4)])
    refused(r"semicontinuous\[0\]: entry 0 .*0.5 and 0.3; expected lower <= upper", semicontinuous=[(w, 0.5, 0.3)])
    refused(r"semicontinuous\[0\]: lower has shape \(2,\)", semicontinuous=[(w, [0.1, 0.2], 0.3)])
    refused(r"group_counts\[0\]: group 0 has the index 12; expected 0 to 11", group_counts=[(w, [[12]], [1])])
    refused(r"group_counts\[0\] has 2 groups and 1 counts", group_counts=[(w, [[1], [2]], [1])])
    refused(r"complementary\[0\] has expressions of shapes \(2,\) and \(3,\)", complementary=[(w[:2], w[:3])])
    two = cp.Problem(cp.Minimize(cp.sum_squares(w) + cp.sum_squares(other)))
    with pytest.raises(ValueError, match="cardinality names no variable, and 2 have several entries"):
        pendec.cvxpy.solve(two, cardinality=3)
    with pytest.raises(ValueError, match="solver is 'OSQP'; expected none"):
        problem.solve(method="pendec", solver="OSQP", cardinality=3)


def test_the_efficient_frontier_of_pyportfolioopt_has_few_assets():
    pypfopt = pytest.importorskip("pypfopt", reason="PyPortfolioOpt is not installed")
    _, mean, covariance = portfolio()
    limits = {"method": "pendec", "cardinality": 4, "semicontinuous": (0.05, 0.5)}

    def frontier():
        return pypfopt.EfficientFrontier(mean, covariance, solver_options=limits)

    def ours(nu=0.0, least=0.0):
        return pendec.sparse_qp(
            covariance,
            -nu * mean,
            4,
            A=-mean[None, :],
            b=[-least],
            E=np.ones((1, 12)),
            d=[1.0],
            lower=np.full(12, 0.05),
            upper=0.5,
        )

    for solve, expected in (
        (lambda f: f.min_volatility(), ours()),
        (lambda f: f.efficient_return(0.08), ours(least=0.08)),
        (lambda f: f.max_quadratic_utility(3.0), ours(nu=1 / 3)),
    ):
        found = frontier()
        weights = np.array(list(solve(found).values()))
        np.testing.assert_allclose(weights, expected.x, atol=1e-8)
    with pytest.raises(ValueError, match="no quadratic program"):
        frontier().efficient_risk(0.2)
