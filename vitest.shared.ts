import { defineProject, type UserWorkspaceConfig } from "vitest/config";

type TestOptions = NonNullable<UserWorkspaceConfig["test"]>;

const conditions = ["@jaf/source", "module", "node", "development|production"];

/** Makes imports of workspace packages read their sources, so that nothing is built before a test. */
export const sourceConditions = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["@jaf/source", "node"] } },
};

/** A package's vitest project. */
export function project(name: string, test: TestOptions = {}) {
  return defineProject({
    ...sourceConditions,
    test: {
      name,
      include: ["test/**/*.test.ts"],
      // Test files share a process, which loads the sources once; no module here has state of its own.
      isolate: false,
      // Generous, since a busy machine is no failure.
      testTimeout: 30_000,
      hookTimeout: 30_000,
      expect: { poll: { timeout: 15_000 } },
      ...test,
    },
  });
}
