import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, spawnServer, stopServer } from "./servers.ts";
import { installTool } from "./tools.ts";

/** A registry for npm packages on loopback. Our packages are only there; requests for others go on to the machine's registry. */
export interface Registry {
  readonly url: string;
  /**
   * Variables for processes that install or publish. They name the registry and a token, and move caches and settings of
   * package managers from the user's home to the registry's temporary folder.
   */
  readonly environment: NodeJS.ProcessEnv;
  /** The folder in which it keeps packages. */
  readonly storage: string;
  /** Publishes packed packages. `tag` is the dist-tag. */
  readonly publish: (tarballs: readonly string[], tag?: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const run = promisify(execFile);

/** The newest version that runs on Node 20. It depends on a dist-tag of node-fetch that not every mirror has. */
const installVerdaccio = () => installTool("verdaccio", "6.8.0", { overrides: { "node-fetch": "2.7.0" } });

const OURS = ["@jaf/*", "create-jaf", "create-jaf-adapter"];

function configurationOf(folder: string, machinesRegistry: string): string {
  const anyone = { access: "$all", publish: "$all", unpublish: "$all" };
  const packages = {
    ...Object.fromEntries(OURS.map((name) => [name, anyone])),
    "**": { access: "$all", proxy: "machine" },
  };
  return JSON.stringify({
    storage: join(folder, "storage"),
    uplinks: { machine: { url: machinesRegistry, timeout: "60s", maxage: "1h", max_fails: 1_000 } },
    packages,
    log: { type: "stdout", level: "info" },
  });
}

/** Starts a registry on a free port, with the packages in a copy of the folder `given`. A package manager can use it until `stop`. */
export async function startRegistry(given?: string): Promise<Registry> {
  const program = join(await installVerdaccio(), "verdaccio/bin/verdaccio");
  const { stdout: machinesRegistry } = await run("npm", ["config", "get", "registry"]);
  const folder = await mkdtemp(join(tmpdir(), "jaf-registry-"));
  const storage = join(folder, "storage");
  if (given !== undefined) await cp(given, storage, { recursive: true });
  const configuration = join(folder, "config.yaml");
  await writeFile(configuration, configurationOf(folder, machinesRegistry.trim()));
  const address = `127.0.0.1:${await freePort()}`;
  const server = await spawnServer(
    process.execPath,
    [program, "--config", configuration, "--listen", address],
    { identity: { cwd: folder }, ready: /http address/ },
  );
  const url = `http://${address}`;
  const environment = await environmentOf(folder, url);

  const publish = async (tarballs: readonly string[], tag = "latest"): Promise<void> => {
    const options = ["--tag", tag, "--provenance=false", "--loglevel=error"];
    await Promise.all(
      tarballs.map((tarball) =>
        run("npm", ["publish", tarball, ...options], { cwd: folder, env: environment }),
      ),
    );
  };
  const stop = async (): Promise<void> => {
    await stopServer(server, "SIGTERM");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { url, environment, storage, publish, stop };
}

async function environmentOf(folder: string, url: string): Promise<NodeJS.ProcessEnv> {
  // npm only publishes with a token. The registry doesn't read it.
  const settings = [`registry=${url}/`, `${url.replace("http:", "")}/:_authToken=anyone`];
  await writeFile(join(folder, ".npmrc"), settings.join("\n"));
  // Variables of the package manager that runs the tests would win over the settings.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm|pnpm|xdg|bun|yarn)_/i.test(name));
  return {
    ...Object.fromEntries(inherited),
    HOME: folder,
    npm_config_userconfig: join(folder, ".npmrc"),
    npm_config_cache: join(folder, "npm-cache"),
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
}
