// Draws what the rows show. Without Chart.js the tables stand alone.
"use strict";
(() => {
  const rows = JSON.parse(document.getElementById("data").textContent).rows;

  if (typeof Chart === "undefined") {
    document.getElementById("no-drawings").hidden = false;
    for (const part of document.querySelectorAll("figure, .drawn")) part.hidden = true;
    return;
  }

  // Okabe and Ito's colours, which people with any colour vision tell apart; dashes and points repeat the difference.
  const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c", "#7a5195"];
  const points = ["circle", "triangle", "rect", "rectRot", "star", "crossRot", "cross", "dash"];
  const dashes = [[], [6, 3], [2, 3], [10, 3, 2, 3], [4, 4], [1, 2], [12, 4], [8, 2, 2, 2]];
  const charts = [];

  const of = (experiment) => rows.filter((row) => row.experiment === experiment);
  const label = (row) => row.algorithm + (row.mode === "default" ? " (ours)" : "");
  const labels = (some) => [...new Set(some.map(label))];
  const style = (k) => ({
    borderColor: palette[k % 8], backgroundColor: palette[k % 8], pointStyle: points[k % 8], borderDash: dashes[k % 8],
    borderWidth: 2,
  });

  const draw = (id, type, datasets, x, y, more = {}) => {
    const canvas = document.getElementById(id);
    if (!canvas) return null;
    const chart = new Chart(canvas, {
      type,
      data: { datasets: datasets.map((each, k) => ({ ...style(k), ...each })) },
      options: {
        animation: false, maintainAspectRatio: false, interaction: { mode: "nearest", intersect: false },
        plugins: { legend: { position: "bottom", labels: { usePointStyle: true } }, ...more },
        scales: { x, y },
      },
    });
    charts.push(chart);
    return chart;
  };

  const axis = (text, type = "linear", more = {}) => ({ type, title: { display: true, text }, ...more });
  // Powers of ten only: the others crowd.
  const powers = { callback: (value) => (Number.isInteger(+Math.log10(value).toFixed(9)) ? value.toExponential(0) : "") };
  const share = () => axis("share of instances", "linear", { min: 0, max: 1 });

  /// A step for every value: which part of `total` is at most this large. Values that are missing count as infinite.
  const steps = (values, total, from, to) => {
    const sorted = values.filter((value) => value <= to).sort((a, b) => a - b);
    const line = [{ x: from, y: 0 }];
    sorted.forEach((value, k) => line.push({ x: Math.max(value, from), y: (k + 1) / total }));
    line.push({ x: to, y: sorted.length / total });
    return line;
  };

  /// Dolan and Moré: seconds over the least seconds on the instance.
  const profile = (id, experiment, counts) => {
    const own = of(experiment);
    const instances = [...new Set(own.map((row) => row.instance))];
    const least = new Map(instances.map((name) => [name,
      Math.min(...own.filter((row) => row.instance === name && counts(row)).map((row) => row.seconds))]));
    const ratios = own.filter(counts).map((row) => row.seconds / least.get(row.instance));
    const to = 2 * Math.max(2, ...ratios);
    draw(id, "line", labels(own).map((name) => ({
      label: name, stepped: true, pointRadius: 0,
      data: steps(own.filter((row) => label(row) === name && counts(row))
        .map((row) => row.seconds / least.get(row.instance)), instances.length, 1, to),
    })), axis("time as a multiple of the fastest", "logarithmic", { min: 1, max: to }), share());
  };

  const gaps = () => {
    const own = of("figure-6.1").filter((row) => row.gap !== null);
    const total = new Set(own.map((row) => row.instance)).size;
    draw("gap-6.1", "line", labels(own).map((name) => ({
      label: name, stepped: true, pointRadius: 0,
      data: steps(own.filter((row) => label(row) === name).map((row) => Math.max(row.gap, 1e-9)), total, 1e-9, 100),
    })), axis("relative gap to the proven optimum", "logarithmic", { min: 1e-9, max: 100, ticks: powers }), share());
  };

  const tradeOff = () => {
    const own = of("figure-6.2").filter((row) => row.f !== null);
    const least = new Map();
    for (const row of own) least.set(row.instance, Math.min(row.f, least.get(row.instance) ?? Infinity));
    draw("trade-off", "scatter", labels(own).map((name) => ({
      label: name, pointRadius: 6, borderDash: [],
      data: own.filter((row) => label(row) === name).map((row) => ({
        x: Math.max(row.seconds, 1e-4), y: Math.max(row.f - least.get(row.instance), 1e-6), row,
      })),
    })), axis("seconds", "logarithmic", { ticks: powers }),
    axis("objective above the best known (at least 1e-6)", "logarithmic", { ticks: powers }), {
      tooltip: { callbacks: { label: ({ raw }) =>
        `${label(raw.row)}, ${raw.row.instance}: f = ${raw.row.f.toPrecision(7)}, ${raw.row.seconds.toPrecision(2)} s` } },
    });
  };

  let trace = null;
  const traced = rows.filter((row) => row.trace);
  const instance = document.getElementById("trace-instance");
  const quantity = document.getElementById("trace-quantity");
  const against = document.getElementById("trace-axis");
  const drawTrace = () => {
    if (trace) {
      charts.splice(charts.indexOf(trace), 1);
      trace.destroy();
    }
    const own = traced.filter((row) => `${row.experiment} ${row.instance}` === instance.value);
    const column = +quantity.value;
    // f(x) approaches the optimum from either side: x need not be feasible on the way.
    const best = Math.min(...rows.filter((row) => own.some((one) => one.experiment === row.experiment &&
      one.instance === row.instance) && row.f !== null).map((row) => row.f));
    const shown = (point) => (column === 2 && point[column] !== null ? Math.abs(point[column] - best) : point[column]);
    trace = draw("trace", "line", own.map((row) => ({
      label: label(row), pointRadius: row.trace.length < 3 ? 5 : 0,
      data: row.trace.map((point) => ({ x: point[+against.value], y: shown(point) }))
        .filter((point) => point.x > 0 && point.y > 0),
    })), axis(against.selectedOptions[0].text, "logarithmic", { ticks: powers }),
    axis(quantity.selectedOptions[0].text, "logarithmic", { ticks: powers }));
  };

  /// Text and grid of all drawings follow the page's colours.
  const recolour = () => {
    const colours = getComputedStyle(document.documentElement);
    const ink = colours.getPropertyValue("--ink").trim(), line = colours.getPropertyValue("--line").trim();
    Chart.defaults.color = ink;
    Chart.defaults.borderColor = line;
    for (const chart of charts) {
      chart.options.color = ink;
      chart.options.plugins.legend.labels.color = ink;
      for (const scale of Object.values(chart.options.scales)) {
        scale.ticks.color = ink;
        scale.title.color = ink;
        scale.grid.color = line;
      }
      chart.update("none");
    }
  };

  recolour();
  profile("profile-6.1", "figure-6.1", () => true);
  gaps();
  tradeOff();
  profile("profile-6.3", "figure-6.3", (row) => row.solved);
  if (traced.length > 0) {
    for (const name of new Set(traced.map((row) => `${row.experiment} ${row.instance}`)))
      instance.add(new Option(name, name));
    for (const choice of [instance, quantity, against]) choice.addEventListener("change", drawTrace);
    drawTrace();
  } else {
    for (const part of document.querySelectorAll(".drawn")) part.hidden = true;
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  matchMedia("print").addEventListener("change", recolour);
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details")) part.open = true;
    for (const chart of charts) chart.resize();
  });
})();
