import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readComposeFile, variablesIn } from "./support/examples/compose-file.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}
const manifestOf = (folder: string): Manifest => JSON.parse(read(`${folder}/package.json`));

/** Members of the workspace depend on its packages as they are. */
const standalone = readdirSync(join(root, "examples")).filter((name) => name !== "memory-file");

describe.each(standalone)("The example %s", (name) => {
  it("needs the packages of the release that it is in", () => {
    const { dependencies = {} } = manifestOf(`examples/${name}`);
    const ours = Object.entries(dependencies).filter(([dependency]) => dependency.startsWith("@jaf/"));
    expect(ours.length).toBeGreaterThan(0);
    for (const [dependency, range] of ours) {
      const { version } = manifestOf(dependency.replace("@jaf/", "packages/"));
      expect({ dependency, range }).toEqual({ dependency, range: `^${version}` });
    }
  });

  it("is linked from the documentation of deployments", () => {
    expect(read("docs/deployment.md")).toContain(`](../examples/${name})`);
  });
});

describe("The Compose file", () => {
  const text = read("examples/compose/compose.yaml");
  const given = Object.fromEntries(
    [...read("examples/compose/.env.example").matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  );

  it("is one by the Compose Specification, with the variables of .env.example", () => {
    const { services } = readComposeFile(text, given);
    expect(Object.keys(services).sort()).toEqual(["app", "migrate", "postgres", "redis"]);
    expect(services["app"]?.deploy?.replicas).toBe(2);
  });

  it("is refused without secrets, and has no variable that .env.example doesn't explain", () => {
    expect(() => readComposeFile(text, {})).toThrow("Copy .env.example to .env.");
    expect(Object.keys(given)).toEqual(expect.arrayContaining([...variablesIn(text)]));
  });

  it("is refused by the specification's schema after a mistake", () => {
    const mistaken = text.replace("stop_grace_period:", "stop_grace_perioid:");
    expect(() => readComposeFile(mistaken, given)).toThrow("additional properties");
  });

  it("starts the application after migrations, and these after a healthy Postgres", () => {
    const { services } = readComposeFile(text, given);
    expect(services["app"]?.depends_on).toEqual({
      migrate: { condition: "service_completed_successfully" },
      redis: { condition: "service_healthy" },
    });
    expect(services["migrate"]?.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
    for (const name of ["postgres", "redis"]) expect(services[name]?.healthcheck).toBeDefined();
  });
});
