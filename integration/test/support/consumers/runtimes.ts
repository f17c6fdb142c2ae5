import { join } from "node:path";
import { installTool } from "../../../../test/tools.ts";

const { platform, arch } = process;
const bunArch = arch === "arm64" ? "aarch64" : "x64-baseline";

export interface Runtime {
  readonly name: string;
  /** The npm package with the program for this machine. */
  readonly package: string;
  readonly version: string;
  /** The path of the program in the package. */
  readonly program: string;
  /** The arguments before the file. */
  readonly args: readonly string[];
}

const node = (version: string): Runtime => ({
  name: "Node",
  package: `node-${platform}-${arch}`,
  version,
  program: "bin/node",
  args: [],
});

/** The newest versions that npm has of each. They run TypeScript as it is. */
export const RUNTIMES: readonly Runtime[] = [
  node("22.23.3"),
  node("24.21.0"),
  {
    name: "Bun",
    package: `@oven/bun-${platform}-${bunArch}`,
    version: "1.4.5",
    program: "bin/bun",
    args: [],
  },
  {
    name: "Deno",
    package: `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`,
    version: "2.9.6",
    program: "deno",
    args: ["run", "--quiet", "--no-config", "--node-modules-dir=manual", "--allow-all"],
  },
];

/** Installs the runtime once on this machine, and returns the path of its program. */
export async function installRuntime(runtime: Runtime): Promise<string> {
  return join(await installTool(runtime.package, runtime.version), runtime.package, runtime.program);
}
