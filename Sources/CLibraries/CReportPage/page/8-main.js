// Fills the page.

let viewer = null;
try {
  viewer = new Viewer();
} catch (error) {
  byID("status").textContent = `The model can't be turned here: ${error.message}`;
  byID("tools").hidden = true;
}

function tile(name, text, kind) { return make("div", {}, make("dt", {}, name), make("dd", { class: kind ?? "" }, text)); }

function showFacts(run) {
  const { report } = run;
  const pipeline = report?.pipeline?.name ?? run.pipeline;
  byID("title").textContent = run.title;
  byID("facts").textContent = [`meshpipe ${page.version}`, pipeline && `pipeline ${pipeline}`].filter(Boolean).join(" · ");
  const main = run.models[run.models.length - 1], tiles = [];
  if (report) {
    const isDone = report.outcome === "done";
    tiles.push(tile("outcome", report.outcome, isDone ? "done" : "failed"), tile("time", secondsText(report.seconds)),
      tile("memory", sizeText(report.peakMemoryBytes)));
  }
  if (main) {
    if (main.faces) tiles.push(tile("faces", grouped(main.faces)));
    if (main.points) tiles.push(tile("points", grouped(main.points)));
    tiles.push(tile("size", main.size.map(lengthText).join(" × ")));
    if (main.area) tiles.push(tile("area", areaText(main.area)));
    const shown = (main.surface?.faces ?? 0) + (main.cloud?.points ?? 0), all = main.faces + main.points;
    if (shown < all) tiles.push(tile("shown here", grouped(shown)));
  }
  byID("tiles").replaceChildren(...tiles);
}

/** A file with what the page was made from. */
function saveButton(run) {
  return make("button", { type: "button", click: () => {
    const address = URL.createObjectURL(new Blob([JSON.stringify(run.report, null, 2)], { type: "application/json" }));
    make("a", { href: address, download: "report.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  } }, "Save the report as JSON");
}

function showReport(run) {
  const report = run.report ?? {};
  const agreement = run.agreement ?? [...(report.stages ?? [])].reverse().map(stage => stage.notes?.agreement).find(Boolean);
  for (const frame of run.frames ?? []) {
    frame.similarity = agreement?.frames?.find(other => other.name === frame.name)?.similarity;
  }
  const sections = [
    failureSection(report), run.report && stagesSection(report), run.report && warningsSection(report),
    comparisonSection(run.comparison), assumptionsSection(run.assumptions), gatesSection(run.gates),
    agreementSection(agreement, viewer, run.agreement && "Rendered with the poses as the capture has them: a model that was "
      + "textured with refined poses agrees better with those, which its run reports."), outputsSection(report.outputs),
    figuresSection("provenance", "Provenance", "What made it, as outputs say it", run.provenance),
    report.pipeline && section("pipeline", "Pipeline", make("details", {}, make("summary", {}, "As it was run"),
      make("pre", {}, JSON.stringify(report.pipeline, null, 2)))),
    run.report && make("p", {}, saveButton(run)),
  ];
  byID("report").replaceChildren(...sections.filter(Boolean));
}

async function show(run) {
  showFacts(run);
  byID("model").hidden = run.models.length === 0;
  if (run.poster !== undefined) {
    byID("poster").src = `data:image/jpeg;base64,${byID("data-" + run.poster).textContent}`;
    byID("poster").alt = "Picture of the model";
    byID("poster").hidden = false;
  }
  if (viewer && run.models.length) {
    try {
      await viewer.show(run);
    } catch (error) {
      viewer.say(`The model can't be shown: ${error.message}`);
      console.error(error.stack);
    }
  }
  showReport(run);
}

document.title = page.title;
if (page.runs.length > 1) {
  byID("runs").hidden = false;
  byID("run").append(...page.runs.map(run => make("option", {}, run.title)));
  byID("run").addEventListener("change", event => show(page.runs[event.target.selectedIndex]));
}
await show(page.runs[0]);
document.body.append(make("footer", {}, "The view uses three.js " + THREE.REVISION
  + ", © 2010–2019 its authors, under the MIT licence; its text is in this page."));
document.documentElement.dataset.state = "ready";
