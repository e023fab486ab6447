// What the report says, as tables and charts.

/** A table with a caption; cells are texts, or elements. */
function table(caption, columns, rows) {
  const head = columns.map(column => make("th", { scope: "col" }, column.title));
  const body = rows.map(cells => make("tr", {}, ...cells.map((cell, index) =>
    index === 0 ? make("th", { scope: "row" }, cell ?? "") : make("td", { class: columns[index].kind }, cell ?? ""))));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", { class: "wide" }, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
}

/** A number with a bar as long as its share of the greatest. */
function meter(text, share) {
  const bar = make("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = (100 * Math.max(0, Math.min(1, share || 0))).toFixed(1) + "%";
  return make("div", { class: "meter" }, text, bar);
}

function countText(counts) {
  if (!counts) return "";
  const parts = [counts.faces && grouped(counts.faces) + " faces", counts.points && grouped(counts.points) + " points"];
  return parts.filter(Boolean).join(", ") || "nothing";
}

function changeText(before, after) {
  const [a, b] = [countText(before), countText(after)];
  return a === b ? b : `${a} → ${b}`;
}

function outcomeOf(step) {
  const kind = { done: "done", skipped: "quiet", failed: "failed" }[step.outcome] ?? "done";
  return make("span", { class: kind }, (step.outcome ?? "done") + (step.reason ? ": " + step.reason : ""));
}

/** A value of JSON, folded if it is long. */
function value(json) {
  if (json === null || typeof json !== "object") return String(json);
  const text = JSON.stringify(json, null, 2);
  if (text.length < 60) return make("code", {}, JSON.stringify(json));
  const count = Array.isArray(json) ? json.length : Object.keys(json).length;
  return make("details", {}, make("summary", {}, count + (count === 1 ? " entry" : " entries")), make("pre", {}, text));
}

function section(id, title, ...children) {
  return make("section", { id, "aria-labelledby": id + "Title" }, make("h2", { id: id + "Title" }, title), ...children.filter(Boolean));
}

function stagesSection(report) {
  const steps = [];
  if (report.input) {
    const { input } = report;
    steps.push({ name: "read", use: input.format, text: countText(input.counts), ...input, outcome: "done" });
  }
  for (const stage of report.stages ?? []) {
    steps.push({ ...stage, name: stage.level ? `${stage.level}: ${stage.id}` : stage.id,
      text: changeText(stage.in, stage.out) });
  }
  for (const output of report.outputs ?? []) {
    steps.push({ ...output, name: "write", use: output.format, text: countText(output.counts), peakMemoryBytes: 0 });
  }
  if (steps.length === 0) return null;
  const seconds = Math.max(...steps.map(step => step.seconds)), memory = Math.max(...steps.map(step => step.peakMemoryBytes ?? 0));
  const rows = steps.map(step => [
    step.name + (step.use && step.use !== step.name ? ` (${step.use})` : ""), outcomeOf(step), step.text,
    step.cached ? make("span", { class: "quiet" }, "cached") : meter(secondsText(step.seconds), step.seconds / seconds),
    step.peakMemoryBytes && !step.cached ? meter(sizeText(step.peakMemoryBytes), step.peakMemoryBytes / memory) : "",
    Object.keys(step.notes ?? {}).length ? value(step.notes) : "",
  ]);
  return section("stages", "Stages", table("Steps of the run, with what they took",
    [{ title: "step" }, { title: "outcome", kind: "text" }, { title: "size", kind: "text" }, { title: "time", kind: "text" },
      { title: "memory", kind: "text" }, { title: "figures", kind: "text" }], rows));
}

function failureSection(report) {
  return report.failure ? section("failure", "Failure", make("p", { class: "failed" }, report.failure)) : null;
}

function warningsSection(report) {
  const found = [
    ...(report.warnings ?? []).map(text => ["the run", text]),
    ...(report.input?.warnings ?? []).map(text => [report.input.path, text]),
    ...(report.stages ?? []).flatMap(stage => stage.warnings.map(text => [stage.id, text])),
    ...(report.outputs ?? []).flatMap(output => output.warnings.map(text => [output.path, text])),
  ];
  const list = found.map(([origin, text]) => make("li", { class: "warned" }, `${origin}: ${text}`));
  return section("warnings", "Warnings", found.length ? make("ul", {}, ...list) : make("p", { class: "quiet" }, "None."));
}

function assumptionsSection(answers) {
  if (!answers?.length) return null;
  const sources = { option: "by an option", declared: "declared by the file", format: "by its format", numbers: "by its numbers",
    assumed: "assumed" };
  const rows = answers.map(answer => [answer.aspect, answer.value,
    make("span", { class: answer.source === "assumed" ? "warned" : "" }, sources[answer.source] ?? answer.source),
    answer.reason ?? "", answer.option ? make("code", {}, answer.option) : ""]);
  return section("assumptions", "How the input was understood", table("Answers, where they come from, and what says otherwise",
    [{ title: "question" }, { title: "answer", kind: "text" }, { title: "source", kind: "text" },
      { title: "reason", kind: "text" }, { title: "option", kind: "text" }], rows));
}

// Charts

function draw(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, text] of Object.entries(attributes)) element.setAttribute(key, text);
  element.append(...children);
  return element;
}

function short(number) { return String(+number.toPrecision(3)); }

/** Values over time, with the limits that they should keep. */
function gateChart(gate) {
  const [width, height, left, bottom] = [320, 120, 44, 18];
  const readings = gate.readings.filter(reading => Number.isFinite(reading.value));
  const times = readings.map((reading, index) => reading.time ?? index);
  const levels = readings.map(reading => reading.value);
  const limits = [gate.warning, gate.failure].filter(Number.isFinite);
  const reduce = (values, by, start) => values.reduce((a, b) => by(a, b), start);
  const low = reduce([...levels, ...limits], Math.min, Infinity), high = reduce([...levels, ...limits], Math.max, -Infinity);
  const [first, last] = [reduce(times, Math.min, Infinity), reduce(times, Math.max, -Infinity)];
  const x = time => left + (width - left - 6) * (last > first ? (time - first) / (last - first) : 0.5);
  const y = level => 6 + (height - bottom - 12) * (high > low ? (high - level) / (high - low) : 0.5);
  const isOut = level => gate.isMaximum ? level > gate.failure : level < gate.failure;
  const outside = levels.filter(isOut).length;
  const [least, greatest] = [reduce(levels, Math.min, Infinity), reduce(levels, Math.max, -Infinity)];
  const label = `${gate.name}: ${short(least)} to ${short(greatest)} ${gate.unit}, ${outside} of ${levels.length} fail`;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const level of [low, high]) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width - 6, y1: y(level), y2: y(level) }),
      draw("text", { x: left - 4, y: y(level) + 4, "text-anchor": "end" }, short(level)));
  }
  for (const limit of limits) svg.append(draw("line", { class: "limit", x1: left, x2: width - 6, y1: y(limit), y2: y(limit) }));
  if (levels.length > 1) {
    svg.append(draw("polyline", { points: levels.map((level, index) => `${x(times[index])},${y(level)}`).join(" ") }));
  }
  levels.forEach((level, index) => {
    if (!isOut(level) && levels.length > 1) return;
    const dot = draw("circle", { class: isOut(level) ? "out" : "value", cx: x(times[index]), cy: y(level), r: 2.5 });
    dot.append(draw("title", {}, `${readings[index].frame ?? ""} ${short(level)} ${gate.unit}`));
    svg.append(dot);
  });
  svg.append(draw("text", { x: left, y: height - 4 }, readings[0]?.time === undefined ? "first frame" : short(first) + " s"),
    draw("text", { x: width - 6, y: height - 4, "text-anchor": "end" },
      readings[0]?.time === undefined ? "last" : short(last) + " s"));
  return make("figure", {}, make("figcaption", {}, make("b", {}, gate.name), gate.unit ? ` in ${gate.unit}` : "",
    gate.outcome ? `: ${gate.outcome}` : ""), svg);
}

function gatesSection(gates) {
  if (!gates?.length) return null;
  const kinds = { passed: "done", warning: "warned", failed: "failed", unknown: "quiet" };
  const rows = gates.map(gate => [gate.name, make("span", { class: kinds[gate.outcome] ?? "" }, gate.outcome),
    `${gate.isMaximum ? "at most" : "at least"} ${short(gate.warning)}, fails ${gate.isMaximum ? "above" : "below"} `
      + `${short(gate.failure)} ${gate.unit}`, grouped(gate.readings.length)]);
  return section("gates", "Gates of the capture", table("Gates, and whether the capture passes them", [
    { title: "gate" }, { title: "outcome", kind: "text" }, { title: "limits", kind: "text" }, { title: "readings", kind: "number" },
  ], rows), make("div", { class: "charts" }, ...gates.filter(gate => gate.readings.length).map(gateChart)));
}

/** How far the model looks like each photograph; a click shows the two. */
function agreementSection(agreement, viewer, remark) {
  if (!agreement?.frames?.length) return null;
  const rows = agreement.frames.map(frame => {
    const index = (viewer?.cameras.frames ?? []).findIndex(other => other.name === frame.name);
    const name = index < 0 ? frame.name
      : make("button", { type: "button", click: () => {
        viewer.cameras.choose(index);
        byID("frame").scrollIntoView({ block: "start" });
      } }, frame.name);
    return [name, meter((100 * frame.similarity).toFixed(0) + " %", frame.similarity),
      (100 * frame.covered).toFixed(0) + " %", frame.brightness.toFixed(2)];
  });
  const all = table("Structural similarity of the model with each photograph, rendered from the same camera", [{ title: "frame" },
    { title: "agreement", kind: "text" }, { title: "covered", kind: "number" }, { title: "brightness", kind: "number" }], rows);
  return section("agreement", `Agreement with the photographs: ${(100 * agreement.similarity).toFixed(0)} %`,
    remark && make("p", { class: "quiet" }, remark),
    rows.length > 12 ? make("details", { open: true }, make("summary", {}, rows.length + " frames"), all) : all);
}

function outputsSection(outputs) {
  const rows = (outputs ?? []).flatMap(output => output.files.length
    ? output.files.map(file => [file.path, sizeText(file.bytes), make("code", {}, file.sha256 ?? ""),
      file.unchanged ? "unchanged" : "written"])
    : [[output.path, "", "", outcomeOf(output)]]);
  return rows.length ? section("outputs", "Outputs", table("Files with their SHA-256", [{ title: "file" },
    { title: "size", kind: "number" }, { title: "SHA-256", kind: "text" }, { title: "", kind: "text" }], rows)) : null;
}

/** The figures of a comparison, and what the two hold: rows of texts, of which the first and those after empty ones are heads. */
function comparisonSection(rows) {
  if (!rows?.length) return null;
  const parts = [[]];
  for (const row of rows) {
    if (row.length) parts.at(-1).push(row); else parts.push([]);
  }
  const captions = ["Distances, and differences at the nearest places", "What the two hold"];
  const tables = parts.filter(part => part.length).map(([head, ...body], index) => table(captions[index] ?? "",
    [0, 1, 2].map(column => ({ title: head[column] ?? "", kind: "number" })),
    body.map(row => [0, 1, 2].map(column => row[column] ?? ""))));
  return section("comparison", "Comparison", ...tables);
}

/** Figures by their names, in groups. */
function figuresSection(id, title, caption, figures) {
  if (!figures) return null;
  const rows = Object.entries(figures).map(([name, json]) => [name, value(json)]);
  return section(id, title, table(caption, [{ title: "" }, { title: "", kind: "text" }], rows));
}
