import { project } from "../../vitest.shared.ts";

export default project("memory-redis", {
  globalSetup: [
    "../../test/redis.setup.ts",
    "../../test/redis-cluster.setup.ts",
    "../../test/redis-sentinel.setup.ts",
  ],
});
