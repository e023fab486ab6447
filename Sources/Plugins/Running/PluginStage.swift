import MeshPipeline
import NativeLibraries

/// A stage of a plugin with its parameters.
struct PluginStage: PreparedStage {
  let manifest: PluginManifest
  let name: String
  /// Every option in base units.
  let parameters: [JSONValue.Member]
  let notice: ConfinementNotice

  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    if manifest.program.lane == .process { notice.tell(in: context) }
    let call = PluginCall(manifest: manifest, stage: name, parameters: parameters)
    return try call.run(scene, in: context)
  }
}

extension PluginManifest.Stage {
  /// The stage as pipelines use it.
  ///
  /// - Parameter notice: Shared by all stages that may be in one run.
  func definition(
    in manifest: PluginManifest, _ origin: StageOrigin, _ notice: ConfinementNotice
  ) -> StageDefinition {
    let (name, parameters) = (name, parameters)
    var definition = StageDefinition(
      name: name, summary: summary, discussion: discussion, example: example,
      parameters: parameters, dataFlow: dataFlow, relativeCost: relativeCost, origin: origin
    ) { members, report in
      PluginStage(
        manifest: manifest, name: name,
        parameters: Self.baseValues(of: members, parameters, report), notice: notice)
    }
    // What it reads elsewhere may be something else in the next run.
    definition.isDeterministic =
      isDeterministic && !manifest.mayUseNetwork && !manifest.mayReadMore
    return definition
  }

  /// Every parameter with its value, or its default, in base units.
  static func baseValues(
    of members: [JSONValue.Member], _ parameters: [ParameterDeclaration],
    _ report: StageDefinition.FaultReport
  ) -> [JSONValue.Member] {
    parameters.map { parameter in
      let given = members.first { $0.key == parameter.name }?.value ?? parameter.defaultValue
      do throws(ParameterFault) {
        return .init(parameter.name, try parameter.baseValue(of: given))
      } catch {
        report(parameter.name, error.position ?? given.position, error.message)
        return .init(parameter.name, JSONValue(.null))
      }
    }
  }
}
