import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { Options } from "tsup";

/** Build settings shared by every package; a package adds its entries. */
export const base = {
  format: ["esm", "cjs"],
  target: "node20",
  clean: true,
  // No module of ours does anything as it loads, so what nothing is taken of needn't be imported.
  treeshake: { moduleSideEffects: false },
  splitting: false,
  // Deno and bundlers know a module of Node's by its whole name.
  removeNodeProtocol: false,
  // TypeScript 6 deprecates an option that tsup's declaration build still sets.
  dts: { compilerOptions: { ignoreDeprecations: "6.0" } },
} satisfies Options;

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * Has each of these sources loaded together with others, whatever it takes of them. esbuild makes a file of what the same
 * entries and `import()`s reach, and each file takes a program longer to load than what stands in it: so what is mostly loaded
 * together becomes one file.
 */
export const loadedWith = (together: Readonly<Record<string, readonly string[]>>): Plugin => ({
  name: "loaded-with",
  setup: ({ onLoad, initialOptions }) => {
    // That nothing is taken of them is meant so.
    initialOptions.logOverride = { ...initialOptions.logOverride, "ignored-bare-import": "silent" };
    const others = new Map(
      Object.entries(together).map(([file, with_]) => [resolve(file), with_.map((other) => resolve(other))]),
    );
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const imports = others.get(path)?.map((other) => {
        const from = relative(dirname(path), other);
        return `import ${JSON.stringify(from.startsWith(".") ? from : `./${from}`)};`;
      });
      return imports && { contents: [readFileSync(path, "utf8"), ...imports].join("\n"), loader: "ts" };
    });
  },
});

/**
 * Puts what a source of these loads by `import()` into the file itself, where it is there at once: Node takes longer to find a
 * file than to read what stands in it.
 */
export const loadedAtOnce = (...files: readonly string[]): Plugin => ({
  name: "loaded-at-once",
  setup: ({ onLoad }) => {
    const loading = new Set(files.map((file) => resolve(file)));
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!loading.has(path)) return undefined;
      const imports: string[] = [];
      const code = readFileSync(path, "utf8").replaceAll(
        /\bimport\(("\.[^"]+")\)(?=[,)])/g,
        (_, from: string) => {
          const name = `part${imports.length}`;
          imports.push(`import * as ${name} from ${from};`);
          return `Promise.resolve(${name})`;
        },
      );
      if (imports.length === 0) throw new Error(`${path} loads nothing by import().`);
      return { contents: [code, ...imports].join("\n"), loader: "ts" };
    });
  },
});

/**
 * What bundlers for browsers and the edge take in place of the build for Node: there bytes count, and not files, so that what is
 * loaded when it is first needed stays apart.
 */
export const web = {
  ...base,
  format: ["esm"],
  outDir: "dist/web",
  splitting: true,
  dts: false,
} satisfies Options;
