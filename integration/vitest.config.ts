import { project } from "../vitest.shared.ts";

export default project("integration", {
  globalSetup: ["../test/postgres.setup.ts", "../test/redis.setup.ts"],
});
