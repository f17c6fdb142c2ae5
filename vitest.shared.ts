import { defineProject, type UserWorkspaceConfig } from "vitest/config";

type TestOptions = NonNullable<UserWorkspaceConfig["test"]>;

/** A package's vitest project: tests read the sources of every workspace package, so nothing is built first. */
export function project(name: string, test: TestOptions = {}) {
  const conditions = ["@jaf/source", "module", "node", "development|production"];
  return defineProject({
    resolve: { conditions },
    ssr: { resolve: { conditions, externalConditions: ["@jaf/source", "node"] } },
    test: {
      name,
      include: ["test/**/*.test.ts"],
      typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "../../tsconfig.json" },
      ...test,
    },
  });
}
