// Matrices of Python as operators of the library. SciPy does not check what its matrices were given, and their arrays
// may be changed afterwards: indices are looked at before anything is read by them.
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "python.hpp"

namespace pendec::python {
namespace {

template <class T>
using Numbers = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The storage that compressed rows and columns have in common: lines, in each of which places are taken.
struct Lines {
  std::string matrix, line, place;  // what they are called
  Index count, length;

  [[noreturn]] void refuse(const std::string& what, Index found, const std::string& expected) const {
    throw InvalidArgument(matrix + ": " + what, to_text(found), expected);
  }
};

template <class I>
void require_starts(const Lines& lines, const Numbers<I>& starts, Index entries) {
  constexpr Index most = std::numeric_limits<int>::max() - 1;
  for (const Index size : {lines.count, lines.length})
    if (size < 0 || size > most) lines.refuse("a size", size, "less than 2^31 - 1 rows and columns");
  if (static_cast<Index>(starts.size()) != lines.count + 1)
    lines.refuse("the length of indptr", static_cast<Index>(starts.size()),
                 to_text(lines.count + 1) + ", one more than the number of " + lines.line + "s");
  const I* start = starts.data();
  if (start[0] != 0) lines.refuse("indptr[0]", start[0], "0");
  for (Index k = 0; k < lines.count; ++k)
    if (start[k + 1] < start[k])
      lines.refuse("indptr[" + to_text(k + 1) + "]", start[k + 1],
                   "at least " + to_text(Index{start[k]}) + ", the one before it");
  if (start[lines.count] > entries)
    lines.refuse("the last entry of indptr", start[lines.count],
                 "at most " + to_text(entries) + ", as many as there are indices and values");
  if (start[lines.count] > most) lines.refuse("the number of entries", start[lines.count], "less than 2^31 - 1");
}

/// A line becomes a column, sorted. Repeated entries are added, as SciPy does; zeros that are stored stay.
template <class I>
SparseMatrix lines_as_columns(const Lines& lines, const Numbers<I>& starts, const Numbers<I>& indices,
                              const Numbers<double>& values) {
  require_starts(lines, starts, static_cast<Index>(std::min(indices.size(), values.size())));
  SparseMatrix out(lines.length, lines.count);
  out.resizeNonZeros(starts.data()[lines.count]);
  bool sorted = true;
  for (Index line = 0; line < lines.count; ++line) {
    const Index from = starts.data()[line], to = starts.data()[line + 1];
    out.outerIndexPtr()[line + 1] = static_cast<int>(to);
    for (Index k = from; k < to; ++k) {
      const Index place = indices.data()[k];
      if (place < 0 || place >= lines.length)
        lines.refuse("the " + lines.place + " of an entry in " + lines.line + " " + to_text(line), place,
                     "at least 0 and less than " + to_text(lines.length));
      sorted = sorted && (k == from || indices.data()[k - 1] < place);
      out.innerIndexPtr()[k] = static_cast<int>(place);
      out.valuePtr()[k] = values.data()[k];
    }
  }
  if (sorted) return out;
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(static_cast<std::size_t>(out.nonZeros()));
  for (int line = 0; line < lines.count; ++line)
    for (int k = out.outerIndexPtr()[line]; k < out.outerIndexPtr()[line + 1]; ++k)
      entries.emplace_back(out.innerIndexPtr()[k], line, out.valuePtr()[k]);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// The arrays of a matrix in compressed rows or columns. Copies them.
template <class I>
Operator sparse_operator(const std::string& name, Index rows, Index cols, bool by_rows, const Numbers<I>& starts,
                         const Numbers<I>& indices, const Numbers<double>& values) {
  if (!by_rows) return lines_as_columns<I>({name, "column", "row", cols, rows}, starts, indices, values);
  return SparseMatrix(lines_as_columns<I>({name, "row", "column", rows, cols}, starts, indices, values).transpose());
}

template <class Visit>
void for_each_entry(const Operator& A, const Visit& visit) {
  if (const auto* dense = A.view()) {
    for (Index j = 0; j < dense->cols(); ++j)
      for (Index i = 0; i < dense->rows(); ++i) visit(i, j, (*dense)(i, j));
  } else if (const SparseMatrix* sparse = A.sparse_view()) {
    for (Index j = 0; j < sparse->outerSize(); ++j)
      for (SparseMatrix::InnerIterator entry(*sparse, j); entry; ++entry) visit(entry.row(), j, entry.value());
  }
}

/// (row, column, value) of the first entry that is not finite.
std::optional<std::tuple<Index, Index, double>> not_finite(const Operator& A) {
  std::optional<std::tuple<Index, Index, double>> found;
  for_each_entry(A, [&](Index i, Index j, double value) {
    if (!found && !std::isfinite(value)) found.emplace(i, j, value);
  });
  return found;
}

/// Visits i, j and the entries (i, j) and (j, i), for all that are stored on either side.
template <class Visit>
void for_each_mirrored(const Operator& A, const Visit& visit) {
  const SparseMatrix* sparse = A.sparse_view();
  if (!sparse)
    return for_each_entry(A, [&](Index i, Index j, double value) { visit(i, j, value, (*A.view())(j, i)); });
  const SparseMatrix transposed = sparse->transpose();
  for (Index j = 0; j < sparse->outerSize(); ++j) {
    SparseMatrix::InnerIterator here(*sparse, j), there(transposed, j);
    while (here || there) {
      const bool both = here && there && here.row() == there.row();
      if (both || (here && (!there || here.row() < there.row()))) {
        visit(here.row(), j, here.value(), both ? there.value() : 0.0);
        ++here;
        if (both) ++there;
      } else {
        visit(there.row(), j, 0.0, there.value());
        ++there;
      }
    }
  }
}

/// Entries (i, j) and (j, i) may differ by 1e-8 of the largest one: formulas that are symmetric round differently.
void require_symmetric(const Operator& A, const std::string& name) {
  double size = 0.0;
  for_each_entry(A, [&](Index, Index, double value) {
    if (std::isfinite(value)) size = std::max(size, std::abs(value));
  });
  const auto entry = [](Index i, Index j) { return "the entry in row " + to_text(i) + ", column " + to_text(j); };
  for_each_mirrored(A, [&](Index i, Index j, double value, double mirrored) {
    const double difference = std::abs(value - mirrored);
    if (std::isfinite(difference) && difference > 1e-8 * size)
      throw InvalidArgument(name + ": " + entry(i, j), to_text(value),
                            to_text(mirrored) + ", " + entry(j, i) + ": a symmetric matrix with both triangles");
  });
}

/// An operator known by functions of Python.
Operator function_operator(Index rows, Index cols, nb::object times, nb::object transpose_times) {
  const auto product = [](nb::object function) -> Operator::Function {
    return [by = Shared(std::move(function))](In x, Out out) {
      ask([&] { fill(out, call(by, x), "the product with a LinearOperator"); });
    };
  };
  return Operator::functions(rows, cols, product(std::move(times)), product(std::move(transpose_times)));
}

}  // namespace

void bind_operators(nb::module_& m) {
  nb::class_<Operator>(m, "Operator")
      .def_prop_ro("rows", &Operator::rows)
      .def_prop_ro("cols", &Operator::cols)
      .def_prop_ro("has_entries", &Operator::has_entries)
      .def_prop_ro("stored_entries", &Operator::stored_entries)
      .def("dense", &Operator::dense)
      .def("not_finite", &not_finite)
      .def("require_symmetric", &require_symmetric, nb::arg("name"));
  m.def("dense_operator", &borrow);
  m.def("copied_operator", [](const Eigen::Ref<const Matrix>& entries) { return Operator(Matrix(entries)); });
  m.def("sparse_operator", &sparse_operator<std::int32_t>, nb::arg("name"), nb::arg("rows"), nb::arg("cols"),
        nb::arg("by_rows"), nb::arg("starts").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("values").noconvert());
  m.def("sparse_operator", &sparse_operator<std::int64_t>, nb::arg("name"), nb::arg("rows"), nb::arg("cols"),
        nb::arg("by_rows"), nb::arg("starts").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("values").noconvert());
  m.def("gram_operator", [](const Operator& B, Vector diagonal) { return B.gram({}, std::move(diagonal)); });
  m.def("function_operator", &function_operator, nb::arg("rows"), nb::arg("cols"), nb::arg("times"),
        nb::arg("transpose_times"));
}

}  // namespace pendec::python
