// Results as Python sees them: structs become dictionaries by the members that they list.
#include "pendec/io/result_file.hpp"
#include "python.hpp"

namespace pendec::python {
namespace {

template <class T>
nb::object object_of(const T& value);

template <class T>
nb::dict dict_of(const T& value) {
  nb::dict out;
  pendec::detail::for_each_member(
      value, [&](std::string_view name, const auto& member) { out[std::string(name).c_str()] = object_of(member); });
  return out;
}

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

template <class T>
nb::object object_of(const T& value) {
  if constexpr (std::is_same_v<T, Certificate>) {
    return to_dict(value);
  } else if constexpr (std::is_same_v<T, Details>) {
    return std::visit([](const auto& known) -> nb::object { return dict_of(known); }, value);
  } else if constexpr (pendec::detail::Listed<T>) {
    return dict_of(value);
  } else if constexpr (std::is_enum_v<T>) {
    return nb::cast(std::string(to_string(value)));
  } else if constexpr (pendec::detail::is_optional<T>) {
    return value ? object_of(*value) : nb::none();
  } else if constexpr (is_list<T>) {
    nb::list out;
    for (const auto& entry : value) out.append(object_of(entry));
    return out;
  } else {
    return nb::cast(value);
  }
}

/// Columns rather than rows: what is plotted.
nb::dict trace_dict(const std::vector<Progress>& trace) {
  nb::dict out;
  std::apply(
      [&](const auto&... m) {
        const auto column = [&](const auto& one) {
          Vector values(static_cast<Index>(trace.size()));
          for (std::size_t k = 0; k < trace.size(); ++k)
            values[static_cast<Index>(k)] = static_cast<double>(trace[k].*(one.member));
          out[std::string(one.name).c_str()] = values;
        };
        (column(m), ...);
      },
      Progress::members());
  return out;
}

}  // namespace

nb::dict to_dict(const Certificate& c) {
  nb::dict out = dict_of(c);
  out["relative_infeasibility"] = c.relative_infeasibility();
  out["relative_stationarity"] = c.relative_stationarity();
  out["text"] = to_text(c);
  return out;
}

nb::dict to_dict(const OuterIterate& p) {
  nb::dict row = dict_of(static_cast<const Progress&>(p));
  row["x"] = p.y;
  row["fun"] = p.f_y;
  row["x_block"] = p.x;
  return row;
}

void bind_result(nb::module_& m) {
  nb::class_<Result>(m, "Result")
      .def("to_json", [](const Result& r) { return to_json(r); })
      .def("to_dict", [](const Result& r) {
        nb::dict out = dict_of(r);
        out["trace"] = trace_dict(r.trace);
        out["gap"] = r.gap();
        out["success"] = r.success();
        return out;
      });
  m.def("parse_result", [](const std::string& text) { return io::parse_result(text).result; });
}

}  // namespace pendec::python
