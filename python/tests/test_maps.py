"""Maps: their formulas, derivatives, adjoints, and what they refuse."""

import pickle

import numpy as np
import pendec
import pytest
from pendec import maps
from pendec._arrays import compressed

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
@pytest.mark.parametrize("form", ["csc", "csr"])
def test_sparse_matrices_are_read_where_they_are(indices, form):
    sparse = pytest.importorskip("scipy.sparse")
    A = sparse.csc_matrix(np.random.default_rng(1).normal(size=(6, 5)).clip(0.0)).asformat(form)
    A.indices, A.indptr = A.indices.astype(indices), A.indptr.astype(indices)
    rows, cols, by_rows, starts, places, values = compressed(A, "A")
    assert (rows, cols, by_rows) == (6, 5, form == "csr") and np.shares_memory(values, A.data)
    assert np.shares_memory(places, A.indices) and starts.dtype == places.dtype == indices
    assert np.allclose(maps.Affine(A)(np.arange(5.0)), A @ np.arange(5.0))


def test_a_sparse_matrix_with_repeated_entries_is_left_as_it_is():
    sparse = pytest.importorskip("scipy.sparse")
    A = sparse.csc_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(2, 1))
    assert np.array_equal(maps.Affine(A)([1.0]), [2.0, 5.0])
    assert np.array_equal(A.data, [1.0, 2.0, 4.0]) and np.array_equal(A.indices, [1, 0, 1])


bent = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])  # of which squares are taken


def bent_jacobian(x):
    return 2 * bent * x


def bent_hessian(x, w):
    return np.diag(2 * bent.T @ w)


def forms(value):
    """A dense matrix in every form in which a function may return one, and the entries that are stored of it."""
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.linalg import aslinearoperator

    kept = sparse.csr_matrix(np.ones_like(value))
    kept.data = value.ravel()  # zeros as well
    yield "dense", value, value.size
    yield "list", value.tolist(), value.size
    yield "C order", np.ascontiguousarray(value), value.size
    for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia"):
        made = sparse.csr_matrix(value).asformat(form)
        yield form, made, None if form in ("bsr", "dia") else np.count_nonzero(value)
    yield "zeros stay", kept, value.size
    yield "operator", aslinearoperator(value), 0


@pytest.mark.parametrize("which", range(12))
def test_derivatives_of_functions_stay_what_they_are(which):
    w = np.array([0.5, -2.0])
    name, _, entries = list(forms(bent_jacobian(x)))[which]
    pick = lambda value: list(forms(value))[which][1]
    G = maps.Function(
        3, 2, lambda x: bent @ x**2, jac=lambda x: pick(bent_jacobian(x)), hess=lambda x, w: pick(bent_hessian(x, w))
    )
    assert maps.check(G, x) == [] and np.allclose(G.adjoint(x, w), bent_jacobian(x).T @ w), name
    J, H = G._core.jacobian(x), G._core.hessian(x, w)
    assert J.has_entries == H.has_entries == (name != "operator")
    assert entries is None or J.stored_entries == entries
    assert np.allclose(J.dense(), bent_jacobian(x)) and np.allclose(H.dense(), bent_hessian(x, w))


def test_a_jacobian_is_computed_once_per_point_and_copied():
    sparse = pytest.importorskip("scipy.sparse")
    points, J, D = [], sparse.csr_matrix(bent), bent.copy()

    def jac(x):
        points.append(x)
        J.data[:] = 2 * bent[bent != 0] * x[J.indices]  # into the arrays of the last one
        return J

    def dense(x):
        D[:] = bent_jacobian(x)
        return D

    for function in (jac, dense):
        G = maps.Function(3, 2, lambda x: bent @ x**2, jac=function)._core
        first, here = G.jacobian(x), bent_jacobian(x)
        G.adjoint(x, np.ones(2))
        G.jacobian(x + 1.0)
        assert np.array_equal(first.dense(), here)
    assert len(points) == 2


def test_products_are_by_the_functions_for_them_where_there_are_some():
    vjp = lambda x, w: bent_jacobian(x).T @ w + 1.0  # wrong, to be told from the others
    G = maps.Function(3, 2, lambda x: bent @ x**2, vjp, jac=bent_jacobian)
    assert np.array_equal(G.adjoint(x, np.zeros(2)), np.ones(3)) and maps.check(G, x) != []
    with pytest.raises(ValueError, match="vjp and jac are None"):
        maps.Function(3, 2, lambda x: bent @ x**2)


def broken(form="csr", **arrays):
    """A sparse 2 × 3 matrix with arrays that SciPy does not look at again."""
    sparse = pytest.importorskip("scipy.sparse")
    made = sparse.csr_matrix(bent).asformat(form)
    for name, array in arrays.items():
        setattr(made, name, np.array(array))
    return made


wrong_matrices = [
    (
        lambda: broken(indices=[0, 7, 1]),
        ValueError,
        "the column of an entry in row 0 is 7; expected at least 0 and less",
    ),
    (lambda: broken(indices=[0, -1, 1]), ValueError, "the column of an entry in row 0 is -1"),
    (lambda: broken(indices=np.array([0, 2**32, 1])), ValueError, "row 0 is 4294967296"),
    (
        lambda: broken("csc", indices=[0, 1, 2]),
        ValueError,
        "the row of an entry in column 2 is 2; expected .* less than 2",
    ),
    (lambda: broken(indptr=[0, 2, 9]), ValueError, "last entry of indptr is 9; expected at most 3"),
    (lambda: broken(indptr=[0, 3, 2]), ValueError, r"indptr\[2\] is 2; expected at least 3"),
    (lambda: broken(indptr=[1, 2, 3]), ValueError, r"indptr\[0\] is 1; expected 0"),
    (
        lambda: broken(indptr=[0, 3]),
        ValueError,
        "length of indptr is 2; expected 3, one more than the number of rows",
    ),
    (lambda: broken(data=[1.0]), ValueError, "at most 1, as many as there are indices and values"),
    (lambda: broken(indices=[0.0, 2.0, 1.0]), TypeError, "indices has entries of type float64; expected whole"),
    (lambda: broken(data=[1.0, np.nan, 2.0]), ValueError, "the entry in row 0, column 2 is nan; expected a finite"),
    (lambda: broken("coo", row=[0, 5, 1]), ValueError, "the row of an entry is 5"),
    (lambda: np.where(bent == 3, np.inf, bent), ValueError, "the entry in row 1, column 1 is inf; expected a finite"),
    (lambda: broken(data=[1j, 1, 1]), TypeError, "type complex128; expected real"),
    (lambda: bent + 0j, TypeError, "type complex128; expected real"),
    (lambda: bent.astype(object), TypeError, "type object; expected real"),
    (lambda: bent.astype(str), TypeError, "expected real"),
    (lambda: None, TypeError, "expected real"),
    (lambda: [[1.0, 2.0, 3.0], [1.0]], TypeError, r"expected a matrix of shape \(2, 3\)"),
    (lambda: bent.T, ValueError, r"has shape \(3, 2\); expected shape \(2, 3\)"),
    (lambda: broken().T, ValueError, r"has shape \(3, 2\); expected shape \(2, 3\)"),
    (lambda: bent.ravel(), ValueError, r"has shape \(6,\); expected shape \(2, 3\)"),
]


@pytest.mark.parametrize("wrong", range(len(wrong_matrices)))
def test_what_is_wrong_with_a_jacobian_is_named(wrong):
    make, error, message = wrong_matrices[wrong]

    def slope(x):
        return make()

    with pytest.raises(error, match=r"jac\(x\) by slope:? .*" + message):
        maps.Function(3, 2, lambda x: bent @ x, jac=slope)._core.jacobian(x)
    with pytest.raises(error, match=message):
        pendec.minimize(
            pendec.objectives.SquaredDistance(x),
            np.ones(3),
            constraints=pendec.Constraint(lambda x: bent @ x, pendec.sets.Box([0, 0], [1, 1]), jac=lambda x: make()),
        )


def test_broken_matrices_are_refused_wherever_they_are_given():
    makers = [
        maps.Affine,
        lambda A: pendec.objectives.LeastSquares(A, np.zeros(2)),
        lambda A: pendec.sets.Polyhedron(A=A, b=[1, 1]),
    ]
    for make in makers:
        with pytest.raises(ValueError, match="A: the column of an entry in row 0 is 7"):
            make(broken(indices=[0, 7, 1]))


def test_a_sparse_vector_is_a_row_but_no_matrix():
    sparse = pytest.importorskip("scipy.sparse")
    row = sparse.coo_array(np.array([1.0, 0.0, 2.0]))
    if row.ndim != 1:
        pytest.skip("SciPy makes it a matrix")
    J = maps.Function(3, 1, lambda x: row @ x, jac=lambda x: row)._core.jacobian(x)
    assert np.array_equal(J.dense(), [[1, 0, 2]]) and J.stored_entries == 2
    with pytest.raises(ValueError, match=r"A has shape \(3,\); expected a matrix"):
        maps.Affine(row)


def test_repeated_entries_of_a_jacobian_are_added_and_unsorted_ones_sorted():
    J = broken(indices=[2, 2, 1], data=[1.0, 4.0, 3.0])
    J.has_canonical_format = True  # what SciPy believes does not count
    made = maps.Function(3, 2, lambda x: bent @ x, jac=lambda x: J)._core.jacobian(x)
    assert np.array_equal(made.dense(), [[0, 0, 5], [0, 3, 0]]) and made.stored_entries == 2
    J = broken(indices=[2, 0, 1])
    assert np.array_equal(maps.Affine(J)._core.jacobian(x).dense(), [[2, 0, 1], [0, 3, 0]])


@pytest.mark.parametrize("form", ["dense", "csr"])
def test_a_hessian_has_to_be_symmetric(form):
    sparse = pytest.importorskip("scipy.sparse")
    H = np.eye(3)

    def hess(x, w):
        return sparse.csr_matrix(H) if form == "csr" else H

    G = maps.Function(3, 2, lambda x: bent @ x**2, jac=bent_jacobian, hess=hess)._core
    H[2, 0] = 1e-9
    assert np.array_equal(G.hessian(x, np.ones(2)).dense(), H)
    H[2, 0] = 0.25
    with pytest.raises(ValueError, match=r"hess\(x, w\) by hess: the entry in row 2, column 0 is 0.25; expected 0"):
        G.hessian(x + 1, np.ones(2))


def test_a_jacobian_whose_shape_changes_is_named():
    G = maps.Function(3, 2, lambda x: bent @ x, jac=lambda x: bent if x[0] < 1 else bent[:1])._core
    G.jacobian(np.zeros(3))
    with pytest.raises(ValueError, match=r"jac\(x\) has shape \(1, 3\); expected shape \(2, 3\)"):
        G.jacobian(np.ones(3))


def test_later_entries_that_are_not_finite_are_left_to_the_solver_with_a_warning():
    G = maps.Function(1, 1, np.sqrt, jac=lambda x: [[0.5 / np.sqrt(x[0])] if x[0] > 0 else [np.inf]])._core
    G.jacobian(np.ones(1))
    with pytest.warns(RuntimeWarning, match="the entry in row 0, column 0 is inf"):
        assert np.isinf(G.jacobian(np.zeros(1)).dense())


def test_no_arrays_lead_out_of_bounds():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(5)
    refused = 0
    for _ in range(400):
        J = sparse.random(4, 3, 0.5, "csr" if rng.random() < 0.5 else "csc", random_state=rng)
        for name in ("indices", "indptr"):
            array = getattr(J, name).astype(rng.choice([np.int32, np.int64]))
            if array.size and rng.random() < 0.4:
                array[rng.integers(array.size)] = rng.choice([-(2**31), -1, 0, 2, 3, 4, 100, 2**31 - 1])
            setattr(J, name, array)
        try:
            made = maps.Affine(J)
        except ValueError as error:
            assert "A: " in str(error)
            refused += 1
        else:
            assert np.isfinite(made(np.ones(3))).all() and np.isfinite(made.adjoint(np.ones(3), np.ones(4))).all()
    assert 50 < refused < 350
