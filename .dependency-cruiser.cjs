/** The one direction of dependence of docs/architecture.md, as a check. */
const only = (name, allowed) => ({
  name: `${name}-depends-only-on-${allowed.join("-and-") || "nothing"}`,
  severity: "error",
  from: { path: `^packages/${name}/src` },
  to: { path: "^packages/([^/]+)/", pathNot: `^packages/(${[name, ...allowed].join("|")})/` },
});

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-deep-imports",
      comment: "Another package is imported by its exports, never by a path inside it.",
      severity: "error",
      from: { path: "^(packages|apps|examples|integration)/([^/]+)/" },
      to: {
        path: "^(packages|apps|examples)/([^/]+)/src/",
        pathNot: [
          "^$1/$2/",
          "/src/(index|adapter|internal)\\.ts$",
          "/src/(adapter|client|history|internal|partial-output|testing|pglite|user-memory)/index\\.ts$",
        ],
      },
    },
    {
      name: "no-undeclared-dependency",
      severity: "error",
      from: { path: "^(packages|apps|examples)/[^/]+/src" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown", "unknown"] },
    },
    { name: "no-unresolvable", severity: "error", from: { path: "/src/" }, to: { couldNotResolve: true } },
    only("memory", []),
    only("core", ["memory"]),
    only("user-memory", ["memory", "core"]),
    only("ai-sdk", ["memory", "core", "model-http"]),
    only("server", ["memory", "core", "user-memory", "ai-sdk"]),
    only("model-http", ["memory"]),
    only("openai", ["memory", "core", "model-http"]),
    only("anthropic", ["memory", "core", "model-http"]),
    only("google", ["memory", "core", "model-http"]),
    only("mcp", ["memory", "core"]),
    only("xflow", ["memory", "core"]),
    only("agents", ["memory", "core", "user-memory", "openai", "anthropic", "google"]),
    {
      name: "ai-sdk-by-structure",
      comment: "Any version of the AI SDK will do, so nothing of it is loaded.",
      severity: "error",
      from: { path: "^packages/ai-sdk/src" },
      to: { path: "node_modules/(@ai-sdk|ai)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "user-memory-takes-types-of-core",
      comment: "User memory also works under another engine, so nothing of ours is loaded with it.",
      severity: "error",
      from: { path: "^packages/user-memory/src" },
      to: { path: "^packages/core/", dependencyTypesNot: ["type-only"] },
    },
    only("memory-postgres", ["memory", "user-memory"]),
    only("memory-redis", ["memory", "user-memory"]),
    {
      name: "user-memory-only-in-its-subpath",
      comment: "Who keeps conversations alone doesn't install user memory.",
      severity: "error",
      from: { path: "^packages/memory-[^/]+/src/", pathNot: "/src/user-memory/" },
      to: { path: "^packages/(user-memory/|memory-[^/]+/src/user-memory/)" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|node_modules)/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@jaf/source", "import", "node", "types", "default"],
      extensions: [".ts", ".js", ".json"],
    },
  },
};
