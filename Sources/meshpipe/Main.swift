import MeshpipeCommand

@main
struct Main {
  static func main() { Command.main() }
}
