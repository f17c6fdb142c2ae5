import { project } from "../../vitest.shared.ts";

export default project("memory-postgres", {
  globalSetup: ["../../test/postgres.setup.ts"],
});
