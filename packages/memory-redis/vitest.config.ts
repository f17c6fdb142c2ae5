import { project } from "../../vitest.shared.ts";

export default project("memory-redis", {
  globalSetup: ["../../test/redis.setup.ts"],
});
