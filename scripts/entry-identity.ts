/** Whether what several entries of the built packages share is there once, in ESM and in CommonJS. */
import { execFileSync } from "node:child_process";

interface Loading {
  /** Where the packages can be loaded from. */
  readonly cwd: string;
  readonly entries: readonly string[];
}

/** Runs the program in either module system; it has `load(specifier)` and fails by throwing. */
function runInBoth(program: string, cwd: string): void {
  const loaders = { module: "import(specifier)", commonjs: "require(specifier)" };
  for (const [type, loader] of Object.entries(loaders)) {
    const code = `const load = async (specifier) => ${loader};\n(async () => {\n${program}\n})();`;
    execFileSync(process.execPath, [`--input-type=${type}`, "--eval", code], {
      cwd,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
}

/** Conversations and user memory have schemas of their own, each with functions of these names. */
const BY_SCHEMA = ["migrate", "printMigrations"];

/** Throws unless a name that two entries export stands for one function, class or value in both. */
export function checkSharedExports({ cwd, entries }: Loading): void {
  const program = `
    const seen = new Map();
    for (const entry of ${JSON.stringify(entries)}) {
      for (const [name, value] of Object.entries(await load(entry))) {
        if (["default", "module.exports"].includes(name)) continue;
        if (entry.endsWith("/user-memory") && ${JSON.stringify(BY_SCHEMA)}.includes(name)) continue;
        const first = seen.get(name) ?? { entry, value };
        seen.set(name, first);
        if (first.value !== value) throw new Error(name + " of " + first.entry + " is another in " + entry);
      }
    }`;
  runInBoth(program, cwd);
}

const PROVIDERS = [
  ["@jaf/memory-redis", "createRedisProvider", { type: "redis" }],
  ["@jaf/memory-redis/user-memory", "createRedisUserMemory", { type: "redis" }],
  ["@jaf/memory-postgres", "createPostgresProvider", { type: "postgres" }],
  ["@jaf/memory-postgres/user-memory", "createPostgresUserMemory", { type: "postgres" }],
] as const;

/**
 * Throws unless an adapter that finds no server rejects with the `MemorySetupError` of `@jaf/memory`, and a store that
 * `@jaf/user-memory/adapter` made refuses with the `UserMemoryError` of `@jaf/user-memory`.
 */
export function checkSetupErrors(cwd: string): void {
  const program = `
    const { MemorySetupError } = await load("@jaf/memory");
    for (const [entry, factory, config] of ${JSON.stringify(PROVIDERS)}) {
      const create = (await load(entry))[factory];
      // Nothing listens on port 1.
      const thrown = await create({ ...config, host: "127.0.0.1", port: 1 }).then(() => undefined, (error) => error);
      if (!(thrown instanceof MemorySetupError)) throw new Error(factory + " rejected with " + thrown);
    }
    const { createInMemoryUserMemoryBackend, UserMemoryError } = await load("@jaf/user-memory");
    const { defineUserMemory } = await load("@jaf/user-memory/adapter");
    const store = defineUserMemory(createInMemoryUserMemoryBackend());
    const refused = await store.remember("", "").then(() => undefined, (error) => error);
    if (!(refused instanceof UserMemoryError)) throw new Error("remember rejected with " + refused);`;
  runInBoth(program, cwd);
}
