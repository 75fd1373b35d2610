"""Every set keeps the promises of a set, takes its arguments by name, and pickles."""

import pickle
import subprocess
import sys

import numpy as np
import pendec
import pytest
from pendec import sets

inf = np.inf
catalogue = [
    sets.Free(4),
    sets.Singleton([1, 0, 2]),
    sets.Box([0, None, -1], [1, 2, None]),
    sets.Box(0, 1, n=3),
    sets.Simplex(5, 2.0),
    sets.Polyhedron(A=[[1, 1], [-1, 2]], b=[1, 2], lower=0),
    sets.AffineSubspace([[1, 1, 1]], [1]),
    sets.Slab([1, 2], -1, 3),
    sets.Halfspace([1, 2], 3),
    sets.Hyperplane([1, 2], 3),
    sets.BoxSlab([1, 2, 3], 0, 1, most=2),
    sets.CappedSimplex(4, 2),
    sets.L1Ball(3, 2),
    sets.MaxNormBall(3, 2),
    sets.SecondOrderCone(3),
    sets.Sparse(6, 2),
    sets.SparseBox(0.1, [1, 1, 2, None], 2),
    sets.SemiContinuous(0.5, 1, n=3),
    sets.SparseSimplex(5, 2),
    sets.GroupSparse(5, [[0, 1], [2, 3]], 1),
    sets.GroupCounts(5, [[0, 1], [2, 3]], [1, 1], 2, lower=0.0),
    sets.LowRank(4, 3, 2),
    sets.PsdLowRank(3, 1),
    sets.PsdCone(3),
    sets.Stiefel(3, 2),
    sets.BoxSwitching(2, lower_x=0, lower_y=[-1, None], upper_y=1),
    sets.Switching(3),
    sets.Complementarity(3),
    sets.RelaxedSparsity(2),
    sets.PairUnion(2, [[0, 1, 0, 0], [0, 0, -inf, inf]]),
    sets.Vanishing(2),
    sets.Either(2),
    sets.Integer(0, None, n=3),
    sets.Binary(3),
    sets.FiniteValues(3, [-1, 0, 2.5]),
    sets.Union([sets.Box([0, 0], [1, 1]), sets.Singleton([3, 3])]),
    sets.Product({"x": sets.Sparse(5, 2), "slack": sets.Box(0, None, n=3)}),
    sets.Intersection([sets.Ball(2, 2.0), sets.Halfspace([1, 1], 1)]),
    sets.Indexed(5, [4, 0, 1], sets.Sparse(3, 1)),
    sets.Similarity(sets.Ball(2), 3, [1, 0]),
    sets.Shell(sets.Sparse(5, 2), 1, 1),
    sets.Ball(3),
    sets.Sphere(3, 2.0),
    sets.Annulus(3, 1, 2),
    sets.SingularValues(3, 2, sets.L1Ball(2)),
    sets.NuclearBall(3, 2, 1.0),
    sets.SpectralBall(3, 2, 1.0),
]


@pytest.mark.parametrize("set_", catalogue, ids=repr)
def test_every_set_keeps_the_promises_of_a_set(set_):
    assert sets.check(set_) == []


@pytest.mark.parametrize("set_", catalogue, ids=repr)
def test_what_every_set_says_about_a_projection(set_, rng):
    z = 3 * rng.normal(size=set_.dimension)
    y = set_.project(z)
    distance = np.linalg.norm(z - y)
    assert set_.contains(y, 1e-8) and np.allclose(set_.project(y), y, atol=1e-7)
    assert set_.distance(z) == pytest.approx(distance, abs=1e-8)
    assert not set_.contains(z, 0.5 * distance) or distance < 1e-9
    assert (set_.normal_residual(y, z - y) or 0.0) <= 1e-7 * (1 + distance)  # what was projected away is a normal
    assert set_.projection_is_unique(z) in (True, None)
    assert np.array_equal(pickle.loads(pickle.dumps(set_)).project(z), y)


@pytest.mark.parametrize("set_", catalogue, ids=repr)
def test_what_is_not_a_number_stays_visible(set_):
    z = np.ones(set_.dimension)
    z[0] = np.nan
    single = isinstance(set_, sets.Singleton)
    assert np.isnan(set_.project(z)).any() or single  # a single point is nearest whatever z is


def test_convexity_is_known():
    nonconvex = (
        *(sets.Sparse, sets.SparseBox, sets.SparseSimplex, sets.GroupSparse, sets.GroupCounts, sets.LowRank),
        sets.Stiefel,
        *(sets.BoxSwitching, sets.PairUnion, sets.Integer, sets.FiniteValues, sets.Union),
    )
    for set_ in catalogue:
        parts = getattr(set_, "_parts", ())
        hollow = isinstance(set_, sets.Shell) and not set_.contains(np.zeros(set_.dimension))
        low = isinstance(set_, sets.PsdLowRank) and set_._arguments[1] < set_._arguments[0]
        curved = isinstance(set_, nonconvex) or hollow or low or any(not part.convex for part in parts)
        assert set_.convex == (not curved), set_


@pytest.mark.parametrize(
    ("set_", "tie"),
    [
        (sets.Sparse(3, 1), [1, -1, 0]),
        (sets.GroupSparse(4, [[0, 1], [2, 3]], 1), [1, 0, 0, 1]),
        (sets.SparseSimplex(3, 1), [1, 1, 0]),
        (sets.Integer(0, 3, n=2), [0.5, 0]),
        (sets.FiniteValues(2, [0, 1]), [0.5, 0]),
        (sets.Complementarity(1), [1, 1]),
        (sets.Vanishing(1), [1, 1]),
        (sets.Either(1), [-1, -1]),
        (sets.LowRank(2, 2, 1), np.eye(2)),
        (sets.PsdLowRank(2, 1), np.eye(2)),
        (sets.Stiefel(2, 1), np.zeros((2, 1))),
        (sets.Sphere(3), np.zeros(3)),
        (sets.Union([sets.Singleton([0, 0]), sets.Singleton([2, 0])]), [1, 0]),
        (sets.Product([sets.Sparse(2, 1), sets.Free(1)]), [1, 1, 0]),
        (sets.Indexed(3, [0, 2], sets.Sparse(2, 1)), [1, 5, 1]),
        (sets.Similarity(sets.Sparse(2, 1), 2, 1.0), [3, 3]),
    ],
    ids=repr,
)
def test_ties_are_reported_and_still_projected(set_, tie):
    assert set_.projection_is_unique(tie) is False
    assert set_.contains(set_.project(tie), 1e-9)


@pytest.mark.parametrize(
    ("set_", "at", "normals", "others"),
    [
        (sets.Sparse(3, 2), [1, 0, 0], [[0, 2, 0], [0, 0, -1]], [[1, 0, 0], [0, 1, 1]]),
        (sets.Complementarity(1), [0, 0], [[1, 0], [0, -2], [-1, -1]], [[1, 1], [1, -1]]),
        (sets.Complementarity(1), [2, 0], [[0, 1], [0, -1]], [[1, 0]]),
        (sets.Box([0], [1]), [1], [[1]], [[-1]]),
        (sets.Simplex(2), [1, 0], [[1, 1], [0, -1]], [[0, 1]]),
        (sets.Binary(1), [1], [[5], [-5]], []),
        (sets.Sphere(2), [1, 0], [[1, 0], [-3, 0]], [[0, 1]]),
        (sets.LowRank(2, 2, 1), [[1, 0], [0, 0]], [[[0, 0], [0, 7]]], [[[0, 1], [0, 0]]]),
    ],
    ids=repr,
)
def test_normal_cones_hold_their_normals_and_no_more(set_, at, normals, others):
    assert all(set_.normal_residual(at, v) <= 1e-12 for v in normals)
    assert all(set_.normal_residual(at, v) > 0.5 for v in others)


def test_every_set_of_problem_files_is_here():
    names = {type(s).__name__.lower() for s in catalogue} | {n.lower() for n in dir(sets)}
    import json
    from pathlib import Path

    schema = json.loads((Path(__file__).parents[2] / "docs/problem.schema.json").read_text())
    known = {definition["properties"]["type"]["const"] for definition in schema["$defs"]["set"]["oneOf"]}
    assert len(known) > 30
    assert {name for name in known if name.replace("_", "") not in names} == set()


def test_projection_keeps_the_shape_of_matrices(rng):
    X = rng.normal(size=(4, 3))
    Y = sets.LowRank(4, 3, 1).project(X)
    U, sigma, V = np.linalg.svd(X)
    assert np.allclose(Y, sigma[0] * np.outer(U[:, 0], V[0]))


def test_projection_onto_sparse_keeps_the_largest():
    assert np.array_equal(sets.Sparse(4, 2).project([1, -3, 2, 0.5]), [0, -3, 2, 0])
    assert sets.Sparse(4, 2).normal_residual([0, -3, 2, 0], [5, 0, 0, 1]) == 0.0
    assert sets.Sparse(4, 2).projection_is_unique([1, 1, 1, 0]) is False


def test_a_wrong_shape_names_both_shapes():
    with pytest.raises(ValueError, match=r"\(3,\).*\(4,\)"):
        sets.Sparse(4, 2).project([1, 2, 3])


def test_misuse_is_told_by_field_value_and_expectation():
    with pytest.raises(pendec.InvalidArgument, match=r"s is 12.*10"):
        sets.Sparse(10, 12)
    with pytest.raises(TypeError, match="3 is not a set"):
        sets.Union([3])
    with pytest.raises(TypeError, match="needs the attribute `dimension`"):
        sets.Union([Sphere()])
    with pytest.raises(TypeError, match="the class Box; expected one of its objects"):
        sets.Product([sets.Box])
    for wrong in (2.5, None, "2"):
        for make in (
            lambda s: sets.Sparse(4, s),
            lambda s: sets.SparseBox(0, 1, s, 4),
            lambda s: sets.SparseSimplex(4, s),
        ):
            with pytest.raises(TypeError, match=f"s is {wrong!r}; expected a whole number"):
                make(wrong)
    assert np.count_nonzero(sets.Sparse(4, 2.0).project([1, 2, 3, 4])) == 2


def test_a_part_that_does_not_tell_its_dimension_has_that_of_the_others():
    union = sets.Union([Sphere(), sets.Box([5, 5, 5], [6, 6, 6])])
    assert union.dimension == 3 and np.allclose(union.project([2, 0, 0]), [1, 0, 0])
    assert sets.Custom(Sphere(), np.int64(3)).dimension == 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sets.Free(-1), "-1"),
        (lambda: sets.Singleton([np.nan]), "nan"),
        (lambda: sets.Box([1, 0], [0, 1]), "lower"),
        (lambda: sets.Box([0, 0], [1]), r"\(1,\).*\(2,\)"),
        (lambda: sets.Box(0, 1), "expected n"),
        (lambda: sets.Simplex(3, -1), "-1"),
        (lambda: sets.Polyhedron(A=[[1, 0], [-1, 0]], b=[-1, -1]), "empty"),
        (lambda: sets.AffineSubspace([[1, 1], [1, 1]], [1, 2]), "with a solution"),
        (lambda: sets.Slab([0, 0], 0, 1), "a is zero"),
        (lambda: sets.Slab([1, 0], 2, 1), "2"),
        (lambda: sets.BoxSlab([1, 1], 0, 1, least=3), "least is 3"),
        (lambda: sets.L1Ball(3, -1), "-1"),
        (lambda: sets.SecondOrderCone(0), "0"),
        (lambda: sets.SparseBox([2], [1], 1), "lower"),
        (lambda: sets.SparseSimplex(3, 0), "s is 0"),
        (lambda: sets.GroupSparse(3, [[0, 1], [1, 2]], 1), "one group only"),
        (lambda: sets.LowRank(3, 2, 5), "5"),
        (lambda: sets.PsdLowRank(3, 4), "4"),
        (lambda: sets.Stiefel(2, 3), "3"),
        (lambda: sets.BoxSwitching(1, lower_x=1, lower_y=1), r"lower_x\[0\] is 1"),
        (lambda: sets.PairUnion(2, [[0, 1, 0]]), "lower_a"),
        (lambda: sets.Integer([0.2], [0.8]), "an integer between"),
        (lambda: sets.FiniteValues(3, []), "values"),
        (lambda: sets.Product([]), "blocks.*at least 1"),
        (lambda: sets.Union([]), "parts.*at least 1"),
        (lambda: sets.Union([sets.Free(2), sets.Free(3)]), "3"),
        (lambda: sets.Intersection([sets.Sparse(2, 1), sets.Free(2)]), "convex"),
        (lambda: sets.Indexed(3, [0, 3], sets.Free(2)), "3"),
        (lambda: sets.Indexed(3, [1, 1], sets.Free(2)), "used once"),
        (lambda: sets.Similarity(sets.Free(2), 0), "factor is 0"),
        (lambda: sets.Shell(sets.Box(0, 1, n=2), 1, 1), "cone"),
        (lambda: sets.Shell(sets.Free(2), 2, 1), "2"),
        (lambda: sets.SingularValues(3, 2, sets.Box(0, 1, n=2)), "permuted"),
        (lambda: sets.Box(), "no bound is a vector; expected n"),
        (lambda: sets.Box(0, 1, n=-2), "n is -2; expected at least 1"),
        (lambda: sets.BoxSwitching(-2), "pairs is -2; expected at least 1"),
        (lambda: sets.Polyhedron([[1, 1]], [1], n=5), r"A has shape \(1, 2\); expected 5 columns"),
        (lambda: sets.Sparse(2**70, 1), "n is 1180591620717411303424; expected less than"),
        (lambda: sets.Shell(Clipped()), "Shell.cone is Clipped; expected a cone"),
        # by the names of their own arguments, not of the sets they are special cases of
        (lambda: sets.Halfspace([1, 2], inf), "halfspace.b is inf"),
        (lambda: sets.Hyperplane([1, 2], inf), "hyperplane.b is inf"),
        (lambda: sets.CappedSimplex(3, 4), "capped_simplex.sum is 4"),
        (lambda: sets.MaxNormBall(3, 0), "max_norm_ball.radius is 0"),
        (lambda: sets.MaxNormBall(3, -1), "max_norm_ball.radius is -1"),
        (lambda: sets.MaxNormBall(-3), "max_norm_ball.n is -3"),
        (lambda: sets.Ball(3, 0), "^ball.radius is 0"),
        (lambda: sets.Sphere(3, inf), "^sphere.radius is inf"),
        (lambda: sets.NuclearBall(0, 2, 1), "rows is 0"),
        (lambda: sets.SpectralBall(2, 2, 0), "radius is 0"),
    ],
)
def test_sets_refuse_what_makes_no_sense(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sets.Sparse("3", 1), "n is '3'; expected a whole number"),
        (lambda: sets.Simplex(3, "1"), "radius is '1'; expected a real number"),
        (lambda: sets.Simplex(3, None), "radius is None; expected a real number"),
        (lambda: sets.Simplex(3, 1j), "radius is 1j; expected a real number"),
        (lambda: sets.LowRank(3.5, 2, 1), "rows is 3.5; expected a whole number"),
        (lambda: sets.Stiefel(3, "2"), "cols is '2'; expected a whole number"),
        (lambda: sets.Indexed(3, [0.7, 1], sets.Free(2)), r"indices\[0\] is 0.7; expected a whole number"),
        (lambda: sets.Indexed(3, ["0", 1], sets.Free(2)), r"indices\[0\] is '0'; expected a whole number"),
        (lambda: sets.Indexed(2, [True, False], sets.Free(2)), r"indices\[0\] is True; expected a whole number"),
        (lambda: sets.GroupSparse(3, [[0, 1], [1.5]], 1), r"groups\[1\]\[0\] is 1.5; expected a whole number"),
        (lambda: sets.FiniteValues(2, [0, "1"]), r"values\[1\] is '1'; expected a real number"),
        (lambda: sets.PairUnion(2, [[0, "1", 0, 1]]), r"rectangles\[0\] is '1'; expected a real number"),
        (lambda: sets.Box([0j], [1]), "lower has entries of type complex128; expected real numbers"),
        (lambda: sets.Box(["0"], [1]), "lower has entries of type <U1; expected real numbers"),
        (lambda: sets.Free(2).project([1j, 2]), "a point of Free has entries of type complex128"),
        (lambda: sets.Free(2).project(None), "a point of Free is None; expected a real number"),
        (lambda: sets.Free(2).contains([1, 2], "tight"), "tol is 'tight'; expected a real number"),
        (lambda: sets.Custom(5, 3), "5 is not a set"),
        (lambda: sets.Custom(Sphere, 3), "the class Sphere; expected one of its objects"),
        (lambda: sets.Shell(5), "5 is not a set"),
        (lambda: sets.SingularValues(2, 2, 5), "5 is not a set"),
        (lambda: sets.check(Sphere(), 2.7), "shape is 2.7; expected a whole number"),
        (lambda: sets.check(Sphere(), "3"), "shape is '3'; expected a whole number"),
    ],
)
def test_other_types_are_refused_by_field_and_value(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_whole_numbers_of_any_type_are_sizes():
    assert sets.Sparse(3.0, 1).dimension == 3
    assert sets.LowRank(np.int32(3), 2.0, 1).project(1.0).shape == (3, 2)


class Clipped:
    """The unit box of three dimensions, described as in C++."""

    def dimension(self):
        return 3

    def convex(self):
        return True

    def project(self, x):
        return np.clip(x, -1, 1)


class Hollow:
    """1 ≤ ‖x‖ ≤ 2, which is not convex."""

    def __init__(self, convex):
        self.told = convex

    def convex(self):
        return self.told

    def project(self, x):
        length = np.linalg.norm(x)
        return x * np.clip(length, 1, 2) / length


def test_a_set_of_ones_own_may_tell_by_methods():
    assert sets.SingularValues(4, 3, Clipped()).contains(np.eye(4, 3))
    assert sets.Custom(Clipped(), 3).convex and sets.Custom(Hollow(np.True_), 2).convex
    assert not sets.Custom(Hollow(False), 2).convex
    with pytest.raises(ValueError, match="convex"):
        pendec.minimize(
            pendec.objectives.SquaredDistance([1.0, 2.0]),
            [0.0, 0.0],
            constraints=pendec.Constraint(np.eye(2), Hollow(False)),
        )
    for wrong in ("no", None, 1):
        with pytest.raises(TypeError, match=f"Hollow.convex is {wrong!r}; expected True or False"):
            sets.Custom(Hollow(wrong), 2)
    with pytest.raises(ValueError, match="Clipped.dimension is 3; expected 5"):
        sets.check(Clipped(), 5)


def test_no_bound_for_entries_of_matrices():
    for lower in ([[0, None], [2, 3]], np.array([[0, None], [2, 3]])):
        box = sets.Box(lower, 5)
        np.testing.assert_array_equal(box.project([[-9, -9], [-9, 9]]), [[0, -9], [2, 5]])
        f = pendec.objectives.SquaredDistance(np.full((2, 2), -9.0))
        x = pendec.minimize(f, np.ones((2, 2)), bounds=(lower, 5)).x
        np.testing.assert_allclose(x, [[0, -9], [2, 3]], atol=1e-6)
    np.testing.assert_array_equal(sets.Box(np.array([0, None]), None).project([-1, -1]), [0, -1])


def test_a_number_stands_for_equal_entries():
    np.testing.assert_allclose(sets.Simplex(3).project(0.5), np.full(3, 1 / 3))
    assert sets.Stiefel(3, 2).project(0.5).shape == (3, 2)
    assert sets.Box([0], [1]).project(2.0).shape == ()


def test_a_script_may_keep_its_own_set(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from pendec import sets\n"
        "class Same:\n"
        "    def project(self, x):\n"
        "        return x\n"
        "mine = sets.Custom(Same(), 3)\n"
        "print(mine.project([1, 2, 3]))\n"
    )
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert run.stdout == "[1. 2. 3.]\n" and run.stderr == ""


class Sphere:
    """A set of one's own."""

    def project(self, x):
        y = x if x.any() else np.eye(x.size)[0]
        return y / np.linalg.norm(y)


def test_a_set_of_ones_own_is_checked():
    assert sets.check(Sphere(), 4) == []

    class Wrong:
        def project(self, x):
            return np.clip(x, 0, 1) * 0.5

    assert sets.check(Wrong(), 4) != []


def test_points_to_check_are_chosen():
    seen = []

    class Seen(Sphere):
        def project(self, x):
            seen.append(np.nanmax(np.abs(x)))
            return super().project(x)

    def points(**options):
        seen.clear()
        assert sets.check(Seen(), 5, **options) == []
        return list(seen)

    default = points()
    assert points() == default and points(seed=2) != default
    assert len(points(samples=5)) < len(default) < len(points(samples=40))
    assert max(points(scale=1e6)) > 1e3 * max(default)


@pytest.mark.parametrize(
    ("set_", "arguments", "message"),
    [
        (Sphere(), {"shape": -3}, "shape is -3; expected at least 1"),
        (Sphere(), {"shape": 0}, "shape is 0; expected at least 1"),
        (Sphere(), {"shape": ()}, r"shape is \(\); expected at least one size"),
        (sets.Simplex(3), {"shape": 5}, r"shape is 5; Simplex\(3, 1.0\) has points of shape \(3,\)"),
        (sets.LowRank(3, 2, 1), {"shape": (2, 3)}, r"a point has shape \(2, 3\)"),
        (sets.Simplex(3), {"samples": 0}, "samples is 0; expected at least 1"),
        (sets.Simplex(3), {"scale": inf}, "scale is inf; expected a positive number"),
        (sets.Simplex(3), {"seed": -1}, "seed is -1; expected at least 0"),
    ],
)
def test_a_check_of_nothing_is_refused(set_, arguments, message):
    with pytest.raises(ValueError, match=message):
        sets.check(set_, **arguments)


def test_complex_results_are_refused():
    class Complex:
        def project(self, x):
            return x + 0j

    with pytest.raises(TypeError, match=r"project\(x\) has entries of type complex128; expected real numbers"):
        sets.Custom(Complex(), 2).project([1, 2])

    def fun(x):
        return np.complex128(x @ x), 2 * x

    with pytest.raises(TypeError, match=r"fun\(x\) is .*; expected a real number"):
        pendec.minimize(fun, [1.0, 2.0], jac=True)
    with pytest.raises(TypeError, match="complex128; expected real numbers"):
        pendec.minimize(lambda x: (x @ x, 2j * x), [1.0, 2.0], jac=True)
    with pytest.raises(TypeError, match="A has entries of type complex128; expected real numbers"):
        pendec.maps.Affine(pytest.importorskip("scipy.sparse").csc_array(np.array([[1j, 2.0]])), 0.0)
    with pytest.raises(TypeError, match="x0 has entries of type complex128"):
        pendec.minimize(fun, [1.0j, 2.0], jac=True)


def test_a_matrix_of_another_shape_is_refused():
    T = np.arange(6.0).reshape(3, 2)
    for set_ in (sets.LowRank(2, 3, 1), sets.NuclearBall(2, 3, 1.0)):
        with pytest.raises(ValueError, match=r"\(3, 2\).*\(2, 3\)"):
            set_.project(T)
        with pytest.raises(ValueError, match=r"\(3, 2\).*\(2, 3\)"):
            pendec.minimize(pendec.objectives.SquaredDistance(T), T, set=set_)


def test_sets_of_matrices_keep_their_shape_inside_of_others():
    lower, X = np.zeros((2, 3)), np.ones((3, 2))
    for set_ in (
        sets.Box(lower, 1.0),
        sets.Integer(lower, 1.0),
        sets.SparseBox(lower, None, 2),
        sets.Singleton(lower),
        sets.Union([sets.LowRank(2, 3, 1), sets.Box(0.0, 1.0, 6)]),
        sets.Intersection([sets.Box(lower, 1.0), sets.Free(6)]),
        sets.Similarity(sets.LowRank(2, 3, 1), 2.0),
        sets.Shell(sets.LowRank(2, 3, 1), 0.0, 1.0),
    ):
        assert set_.project(X.T).shape == (2, 3) and set_.project(X.ravel()).shape == (6,)
        with pytest.raises(ValueError, match=r"(?s)\(3, 2\).*\(2, 3\)"):
            set_.project(X)
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(3, 2\)"):
        sets.Box(lower, X)


def test_parts_have_points_of_one_shape():
    wide, tall = np.zeros((2, 3)), np.zeros((3, 2))
    for combined in (sets.Union, sets.Intersection):
        with pytest.raises(ValueError, match=r"shapes \(2, 3\) and \(3, 2\)"):
            combined([sets.Singleton(wide), sets.Singleton(tall)])
    with pytest.raises(ValueError, match=r"shape \(3, 2\)"):
        sets.Custom(Rows(), (2, 3)).project(tall)


class Rows:
    """Matrices with equal rows."""

    def project(self, x):
        return np.broadcast_to(x.mean(axis=0), x.shape)


def test_a_silent_part_has_the_points_of_the_others():
    union = sets.Union(part for part in (sets.Singleton(100 * np.ones((2, 3))), Rows()))
    np.testing.assert_allclose(union.project([[1.0, 2, 3], [3, 2, 1]]), 2 * np.ones((2, 3)))


def test_rows_may_be_sparse():
    sparse = pytest.importorskip("scipy.sparse")
    A, E, z = np.array([[1.0, 0.0, 2.0]]), np.array([[0.0, 1.0, 1.0]]), np.array([3.0, 1.0, 2.0])
    for dense, few in (
        (sets.Polyhedron(A, [1.0], E, [1.0]), sets.Polyhedron(sparse.csr_matrix(A), [1.0], sparse.coo_array(E), [1.0])),
        (sets.AffineSubspace(E, [1.0]), sets.AffineSubspace(sparse.csc_matrix(E), [1.0])),
    ):
        np.testing.assert_array_equal(few.project(z), dense.project(z))
    with pytest.raises(ValueError, match=r"E has shape \(1, 3\); expected 5 columns"):
        sets.Polyhedron(E=sparse.csr_matrix(E), d=[1.0], n=5)
