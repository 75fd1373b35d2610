"""Maps: their formulas, derivatives, adjoints, and what they refuse."""

import pickle

import numpy as np
import pendec
import pytest
from pendec import maps
from pendec._arrays import compressed_columns

x = np.array([0.5, -1.0, 2.0])
A = np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]])


def square(x):
    return x[:2] ** 2


def square_vjp(x, w):
    return np.append(2 * x[:2] * w, 0.0)


catalogue = {
    "affine": (maps.Affine(A, [1, 2]), A @ x + [1, 2]),
    "affine without shift": (maps.Affine(A), A @ x),
    "selection": (maps.Selection(3, [2, 0], 1.0), x[[2, 0]] + 1),
    "identity": (maps.Identity(3), x),
    "quartic": (maps.Quartic(A.T, np.ones((3, 2)), [1, 2]), A @ (x - 1) ** 4 - [1, 2]),
    "quadratic rows": (maps.QuadraticRows([np.eye(3), np.zeros((3, 3))], A, 1.0), A @ x + 1 + [x @ x / 2, 0]),
    "stack": (maps.Stack([maps.Affine(A), maps.Identity(3)]), [*(A @ x), *x]),
    "function": (maps.Function(3, 2, square, square_vjp), square(x)),
}


@pytest.mark.parametrize("name", catalogue)
def test_maps_have_their_values_derivatives_and_adjoints(name):
    G, value = catalogue[name]
    assert np.allclose(G(x), value) and maps.check(G, x) == []
    assert (G.input_dimension, G.output_dimension) == (3, len(value))
    w, step = np.arange(1.0, len(value) + 1), 1e-6
    differences = [(w @ (G(x + e) - G(x - e))) / (2 * step) for e in step * np.eye(3)]
    assert np.allclose(G.adjoint(x, w), differences, atol=1e-6)
    assert np.array_equal(pickle.loads(pickle.dumps(G))(x), G(x))


def test_sparse_matrices_are_maps():
    sparse = pytest.importorskip("scipy.sparse")
    G = maps.Affine(sparse.csr_matrix(A), [1, 2])
    assert np.allclose(G(x), A @ x + [1, 2]) and maps.check(G, x) == []
    assert np.array_equal(pickle.loads(pickle.dumps(G))(x), G(x))


def test_the_diagonal_is_a_map():
    assert np.array_equal(maps.Diagonal(3)(np.arange(9.0).reshape(3, 3)), [0, 4, 8])


def test_a_wrong_adjoint_is_noticed():
    assert maps.check(maps.Function(3, 2, square, lambda x, w: square_vjp(x, w) + 1e-2), x) != []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: maps.Affine([1.0, 2.0]), r"A has shape \(2,\)"),
        (lambda: maps.Affine(A, [1, 2, 3]), r"\(3,\).*\(2,\)"),
        (lambda: maps.Affine(A)([1, 2]), r"\(2,\).*\(3,\)"),
        (lambda: maps.Affine(A).adjoint(x, [1, 2, 3]), r"\(3,\).*\(2,\)"),
        (lambda: maps.Selection(3, [3]), "3"),
        (lambda: maps.Quartic(A.T, np.ones((2, 2)), [1, 2]), "p"),
        (lambda: maps.Stack([]), "at least 1"),
        (lambda: maps.Stack([maps.Identity(2), maps.Identity(3)]), "3"),
    ],
)
def test_misuse_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_map_is_the_g_of_a_constraint():
    r = pendec.minimize(
        pendec.objectives.SquaredDistance(x),
        np.zeros(3),
        constraints=pendec.Constraint(
            maps.QuadraticRows([np.eye(3)], np.zeros((1, 3))), pendec.sets.Box([None], [0.5])
        ),
    )
    assert r.success and np.allclose(r.x, x / np.linalg.norm(x), atol=1e-5)


@pytest.mark.parametrize("indices", [np.int32, np.int64])
def test_sparse_matrices_in_columns_are_read_where_they_are(indices):
    sparse = pytest.importorskip("scipy.sparse")
    A = sparse.csc_matrix(np.random.default_rng(1).normal(size=(6, 5)).clip(0.0))
    A.indices, A.indptr = A.indices.astype(indices), A.indptr.astype(indices)
    rows, cols, starts, places, values = compressed_columns(A)
    assert (rows, cols) == (6, 5) and np.shares_memory(values, A.data)
    assert np.shares_memory(places, A.indices) == (indices is np.int32) and starts.dtype == np.int32
    assert np.allclose(maps.Affine(A)(np.arange(5.0)), A @ np.arange(5.0))


def test_a_sparse_matrix_with_repeated_entries_is_left_as_it_is():
    sparse = pytest.importorskip("scipy.sparse")
    A = sparse.csc_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(2, 1))
    assert np.array_equal(maps.Affine(A)([1.0]), [2.0, 5.0])
    assert np.array_equal(A.data, [1.0, 2.0, 4.0]) and np.array_equal(A.indices, [1, 0, 1])
