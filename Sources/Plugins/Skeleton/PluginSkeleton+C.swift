extension PluginSkeleton {
  /// A stage with the C ABI, with a test.
  var c: [File] {
    get throws {
      [
        libraryManifest,
        File(name: "\(identifier).c", text: cProgram),
        File(name: "test_\(identifier).c", text: cTest),
        makefile(
          sources: "\(identifier).c meshpipe_plugin.h",
          library: "$(CC) -std=c99 -shared -fPIC -O2 -Wall -Wextra $(CFLAGS) -o $@ \(identifier).c",
          test:
            "$(CC) -std=c99 -g -Wall -Wextra $(CFLAGS) -o $@ \(identifier).c test_\(identifier).c",
          testSources: "test_\(identifier).c"),
        try header,
      ]
    }
  }

  private var cProgram: String {
    """
    // The plugin '\(name)' for meshpipe; see meshpipe_plugin.h for the rules.
    #include "meshpipe_plugin.h"

    /// Moves every vertex up.
    static int32_t \(identifier)(const meshpipe_host *host, double distance, meshpipe_scene *scene) {
      // Lengths come in metres; the scene may be in another unit.
      float step = (float)(distance / scene->meters_per_unit);
      size_t axis = (size_t)scene->up % 3;
      if (scene->up >= MESHPIPE_MINUS_X) step = -step;
      for (size_t number = 0; number < scene->mesh_count; number++) {
        meshpipe_mesh *mesh = scene->meshes[number];
        // Lent arrays are read-only; this replaces one by a copy.
        float *positions = meshpipe_edit_positions(host, mesh);
        if (positions == NULL) return host->fail(host, MESHPIPE_TRY_AGAIN, "out of memory");
        for (size_t vertex = 0; vertex < mesh->vertex_count; vertex++)
          positions[3 * vertex + axis] += step;
        if (host->progress(host, (double)(number + 1) / (double)scene->mesh_count))
          return MESHPIPE_CANCELLED;
      }
      return MESHPIPE_DONE;
    }

    static int32_t run(const meshpipe_host *host, const meshpipe_task *task, meshpipe_scene *scene) {
      if (meshpipe_is_stage(task, "\(name)"))
        return \(identifier)(host, meshpipe_number(task, "distance", 0.01), scene);
      return host->fail(host, MESHPIPE_UNAVAILABLE, "unknown stage");
    }

    // Vertices and faces stay, and with them whatever attributes they have.
    static const meshpipe_plugin plugin = {sizeof(meshpipe_plugin), MESHPIPE_ABI, run,
                                           MESHPIPE_ALL_ATTRIBUTES};

    const meshpipe_plugin *meshpipe_plugin_entry(uint32_t host_abi) {
      return host_abi >= MESHPIPE_ABI ? &plugin : NULL;
    }

    """
  }

  private var cTest: String {
    """
    // Run with: make test
    #include "meshpipe_plugin.h"

    #include <stdio.h>
    #include <stdlib.h>

    static void *allocate(const meshpipe_host *host, size_t bytes) {
      (void)host;
      return calloc(bytes + 1, 1);
    }

    static int32_t progress(const meshpipe_host *host, double fraction) {
      (void)host;
      return fraction > 1;
    }

    static int32_t fail(const meshpipe_host *host, int32_t code, const char *message) {
      (void)host;
      fprintf(stderr, "%s\\n", message);
      return code;
    }

    int main(void) {
      const float positions[9] = {0};
      const uint32_t indices[3] = {0, 1, 2};
      meshpipe_mesh mesh = {.struct_size = sizeof(mesh), .vertex_count = 3, .face_count = 1};
      mesh.positions = positions;
      mesh.indices = indices;
      meshpipe_mesh *meshes[] = {&mesh};
      meshpipe_scene scene = {.struct_size = sizeof(scene), .up = MESHPIPE_Y, .forward = MESHPIPE_MINUS_Z};
      scene.meters_per_unit = 1;
      scene.meshes = meshes;
      scene.mesh_count = 1;

      const meshpipe_value distance = {
          .struct_size = sizeof(distance), .kind = MESHPIPE_NUMBER, .number = 0.5};
      const meshpipe_value *const items[] = {&distance};
      const char *const names[] = {"distance"};
      const meshpipe_value parameters = {
          .struct_size = sizeof(parameters), .kind = MESHPIPE_OBJECT, .count = 1, .items = items, .names = names};
      const meshpipe_task task = {sizeof(task), "\(name)", &parameters, 0};
      const meshpipe_host host = {
          .struct_size = sizeof(host), .allocate = allocate, .progress = progress, .fail = fail};

      if (meshpipe_plugin_entry(MESHPIPE_ABI)->run(&host, &task, &scene) != MESHPIPE_DONE) return 1;
      for (size_t number = 0; number < 9; number++) {
        if (mesh.positions[number] == (number % 3 == 1 ? 0.5f : 0)) continue;
        fprintf(stderr, "coordinate %zu is %g\\n", number, (double)mesh.positions[number]);
        return 1;
      }
      puts("ok");
      return 0;
    }

    """
  }
}
