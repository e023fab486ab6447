import Batch
import MeshPipeline

/// The work that a batch would do, for '--dry-run'.
enum BatchPlanText {
  static func text(_ plan: BatchPlan) -> String {
    var text = ""
    for entry in plan.entries {
      let outputs = entry.outputNames.joined(separator: ", ")
      let fault = entry.item.fault.map { "will fail: \($0.message)" }
      text += "\(entry.item.name) -> \(outputs): \(fault ?? entry.reason.text)\n"
    }
    for name in plan.passedOver { text += "\(name): skipped, a preferred format exists\n" }
    for path in plan.products { text += "\(path): skipped, an output of this batch\n" }
    let due = plan.entries.count { $0.isDue }
    return text + "\(plan.entries.count) items, \(due) to do\n"
  }

  static func json(_ plan: BatchPlan) -> String {
    let entries = plan.entries.map { entry in
      var members: [JSONValue.Member] = [
        .init("item", entry.item.name.json), .init("outputs", entry.outputNames.json),
        .init("size", entry.item.size.json), .init("due", entry.isDue.json),
        .init("reason", entry.reason.name.json), .init("explanation", entry.reason.text.json),
      ]
      if let fault = entry.item.fault { members.append(.init("fault", fault.message.json)) }
      return JSONValue(.object(members))
    }
    return JSONValue(.array(entries)).prettyText
  }
}
