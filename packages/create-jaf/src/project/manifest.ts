import type { Choices, Model } from "../choices.ts";
import { testedVersions } from "../own-package.ts";

type Ranges = Readonly<Record<string, string>>;

const modelPackages: Readonly<Record<Model, readonly string[]>> = {
  offline: [],
  openai: ["@jaf/openai"],
  anthropic: ["@jaf/anthropic"],
  google: ["@jaf/google"],
  compatible: ["@jaf/openai"],
};

function dependenciesOf({ model, storage, interface: shown }: Choices): readonly string[] {
  const isServed = shown === "server" || shown === "page";
  const byStorage = {
    embedded: ["@electric-sql/pglite", "@jaf/memory-postgres"],
    redis: ["@jaf/memory-redis", "redis"],
    postgres: ["@jaf/memory-postgres", "pg"],
  };
  return [
    ...["@jaf/core", "@jaf/memory", "tsx", "zod"],
    ...modelPackages[model],
    ...byStorage[storage],
    ...(isServed ? ["@jaf/ai-sdk", "@jaf/server"] : []),
    ...(shown === "page" ? ["@hono/node-server", "hono"] : []),
  ];
}

const developmentOf = ({ storage }: Choices): readonly string[] => [
  "@types/node",
  ...(storage === "postgres" ? ["@types/pg"] : []),
  "typescript",
];

function rangesOf(names: readonly string[]): Ranges {
  return Object.fromEntries([...names].sort().map((name) => [name, rangeOf(name)]));
}

function rangeOf(name: string): string {
  const range = testedVersions[name];
  if (range === undefined) throw new Error(`package.json has no version of ${name}.`);
  // A tool that the repository has in an exact version.
  return /^\d/.test(range) ? `^${range}` : range;
}

/** The text of a project's package.json. */
export function manifestOf(choices: Choices): string {
  const isServed = choices.interface === "server" || choices.interface === "page";
  const manifest = {
    name: choices.name,
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      start: "node start.js",
      ...(isServed ? { dev: "node --watch start.js" } : {}),
      typecheck: "tsc",
    },
    dependencies: rangesOf(dependenciesOf(choices)),
    devDependencies: rangesOf(developmentOf(choices)),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
