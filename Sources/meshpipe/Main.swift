import MeshPipeline

@main
struct Command {
  static func main() {
    print("meshpipe")
  }
}
