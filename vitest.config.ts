import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The tests wait for servers, processes and clocks more than they compute.
    maxWorkers: 3,
    projects: [
      "packages/*",
      "apps/*",
      "examples/*",
      "integration",
      {
        // The type tests of all packages, in one program of the compiler.
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["packages/*/test/**/*.test-d.ts"],
            tsconfig: "tsconfig.json",
          },
        },
      },
    ],
  },
});
