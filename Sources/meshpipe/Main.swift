import MeshpipeCommand
import Stages

@main
struct Main {
  static func main() { Command.main(stages: builtInStages) }
}
