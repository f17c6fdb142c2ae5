import { describe, expect, it } from "vitest";
import { detectModel, variablesOf } from "../src/choices.ts";
import { testedVersions } from "../src/own-package.ts";
import { filesOf } from "../src/project/files.ts";
import { choicesWith, combinations, labelOf } from "./combinations.ts";

const COMMON = [
  ...[".env", ".env.example", ".gitignore", "AGENTS.md", "README.md", "package.json", "src/agent.ts"],
  ...["src/main.ts", "start.js", "tsconfig.json"],
];

describe("the files of a project", () => {
  it.each([
    [choicesWith(), []],
    [choicesWith({ storage: "redis", interface: "server" }), ["compose.yaml"]],
    [choicesWith({ storage: "postgres" }), ["compose.yaml"]],
    [choicesWith({ interface: "page" }), ["page/chat.js", "page/index.html", "page/style.css"]],
    [choicesWith({ packageManager: "pnpm" }), ["pnpm-workspace.yaml"]],
    [choicesWith({ packageManager: "yarn" }), [".yarnrc.yml", "yarn.lock"]],
  ])("are those that the choices need", (choices, more) => {
    expect(Object.keys(filesOf(choices)).sort()).toEqual([...COMMON, ...more].sort());
  });

  it.each(combinations.map((choices) => [labelOf(choices), choices] as const))(
    "%s declares what its program imports, and nothing else",
    (_, choices) => {
      const files = filesOf(choices);
      const { dependencies } = JSON.parse(files["package.json"] ?? "");
      const code = `${files["src/agent.ts"]}${files["src/main.ts"]}${files["start.js"]}`;
      const imported = [...code.matchAll(/(?:from|import\()\s?"((?:@[^/"]+\/)?[^/".]+)/g)].map(
        ([, name]) => name,
      );
      const known = Object.keys(dependencies).filter((name) => imported.includes(name));
      const implied = ["@jaf/memory", "@jaf/ai-sdk", "@electric-sql/pglite", "redis", "pg"]; // peers, or opened by name
      expect(imported.filter((name) => !name?.startsWith("node:") && !(`${name}` in dependencies))).toEqual(
        [],
      );
      expect(
        Object.keys(dependencies).filter((name) => !known.includes(name) && !implied.includes(name)),
      ).toEqual([]);
      for (const name of Object.keys(dependencies)) expect(testedVersions).toHaveProperty(name);
    },
  );

  it("name every variable in .env.example, and what was typed in only in .env", () => {
    const secrets = { OPENAI_API_KEY: "sk-1234" };
    const choices = choicesWith({ model: "openai", storage: "redis", interface: "server", secrets });
    const files = filesOf(choices);
    for (const { name } of variablesOf(choices)) expect(files[".env.example"]).toContain(`${name}=`);
    expect(files[".env"]).toContain("OPENAI_API_KEY=sk-1234\n");
    expect(Object.entries(files).filter(([, text]) => text.includes("sk-1234"))).toHaveLength(1);
    expect(files[".gitignore"]).toContain("\n.env\n");
  });

  it("give coding agents three lines", () => {
    expect(filesOf(choicesWith())["AGENTS.md"]?.trim().split("\n")).toHaveLength(3);
  });
});

describe("the default model", () => {
  it.each([
    [{}, "offline"],
    [{ OPENAI_API_KEY: "" }, "offline"],
    [{ OPENAI_API_KEY: "key" }, "openai"],
    [{ ANTHROPIC_API_KEY: "key" }, "anthropic"],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: "key" }, "google"],
    [{ OPENAI_BASE_URL: "http://localhost:11434/v1" }, "compatible"],
  ])("of the environment %j is %s", (environment, model) => {
    expect(detectModel(environment)).toBe(model);
  });
});
