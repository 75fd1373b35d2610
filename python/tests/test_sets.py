"""Every set keeps the promises of a set, takes its arguments by name, and pickles."""

import pickle

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
def test_every_set_pickles(set_, rng):
    z = rng.normal(size=set_.dimension)
    assert np.array_equal(pickle.loads(pickle.dumps(set_)).project(z), set_.project(z))


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


class Sphere:
    """A set of one's own."""

    def project(self, x):
        return x / np.linalg.norm(x)


def test_a_set_of_ones_own_is_checked():
    assert sets.check(Sphere(), 4) == []

    class Wrong:
        def project(self, x):
            return np.clip(x, 0, 1) * 0.5

    assert sets.check(Wrong(), 4) != []
