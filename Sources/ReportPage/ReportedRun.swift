package import MeshPipeline
package import Rendering

/// What a page shows of a scan.
package struct ReportedRun {
  /// The name of the scan.
  package var title: String
  /// The name of the pipeline; nil for a model that none made.
  package var pipeline: String?
  /// What the run reported.
  package var report: JSONValue?
  /// What the model is compared with, and what it is called: the scan as it was read.
  package var before: (scene: Scene, name: String)?
  /// The model, and what it is called.
  package var after: (scene: Scene, name: String)?
  /// Figures of a comparison of the two, as rows of a table whose first one is its head; one more table follows an empty row.
  package var comparison: [[String]] = []
  /// What made the model, as it is written into outputs.
  package var provenance: Provenance?
  /// How far the model looks like the photographs of its capture, if the report has no such figures.
  package var agreement: PhotographAgreement?
  /// Whether distances between the two are what the page shows first.
  package var beginsWithDistances = false
  /// The distance at which their colours end, in metres; nil for one that most of them do not exceed.
  package var distanceRange: Double?

  package init(title: String) { self.title = title }
}
