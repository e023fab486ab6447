// A plugin over the C ABI that changes nothing.
#include <meshpipe_plugin.h>

static int32_t run(const meshpipe_host *host, const meshpipe_task *task, meshpipe_scene *scene) {
  (void)host, (void)task, (void)scene;
  return MESHPIPE_DONE;
}

static const meshpipe_plugin plugin = {sizeof(meshpipe_plugin), MESHPIPE_ABI, run};

MESHPIPE_EXPORT const meshpipe_plugin *meshpipe_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return &plugin;
}
