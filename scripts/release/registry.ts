/** What a registry has of a package. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { PackedPackage } from "../pack.ts";
import { ReleaseError } from "./failure.ts";
import { askPnpm } from "./programs.ts";

/** Where people install from. */
export const NPM = "https://registry.npmjs.org/";

interface Packument {
  readonly versions?: Readonly<
    Record<string, { readonly dist?: { readonly integrity?: string; readonly shasum?: string } }>
  >;
}

const withSlash = (registry: string): string => `${registry.replace(/\/+$/, "")}/`;

async function readPackument(registry: string, name: string): Promise<Packument> {
  const url = withSlash(registry) + name.replace("/", "%2f");
  // While pnpm runs, the registry may close a connection that was kept, and this process wouldn't notice.
  const headers = { accept: "application/json", "cache-control": "no-cache", connection: "close" };
  const response = await fetch(url, { headers }).catch((thrown: unknown) => {
    throw new ReleaseError(`The registry ${registry} can't be reached.`, { cause: thrown });
  });
  if (response.status === 404) return {};
  if (!response.ok) throw new ReleaseError(`The registry answered ${response.status} for ${name} (${url}).`);
  return (await response.json()) as Packument;
}

/** Whether the registry has a version, and whether what it has is this tarball. */
export type Presence = "missing" | "same" | "different";

export async function presenceOf(
  registry: string,
  { name, version, tarball }: PackedPackage,
): Promise<Presence> {
  const { versions = {} } = await readPackument(registry, name);
  const dist = versions[version]?.dist;
  if (dist === undefined) return "missing";
  const bytes = readFileSync(tarball);
  const hash = createHash("sha512").update(bytes).digest("base64");
  return dist.integrity === `sha512-${hash}` ? "same" : "different";
}

/** Waits until the registry has the tarballs, since it may show them some time after an upload. */
export async function waitForPresence(
  registry: string,
  packed: readonly PackedPackage[],
  limitMs: number,
): Promise<void> {
  for (const end = Date.now() + limitMs; ; await sleep(1_000)) {
    const presences = await Promise.all(packed.map((each) => presenceOf(registry, each)));
    const first = packed.find((_, index) => presences[index] !== "same");
    if (first === undefined) return;
    if (Date.now() >= end)
      throw new ReleaseError(
        `${first.name}@${first.version} is uploaded, but ${registry} doesn't have it as it was built. Look where pnpm ` +
          "uploaded it before you run the same command again.",
      );
  }
}

/** pnpm uploads packages of a scope to the registry of the scope, whatever `--registry` says. */
export function requireNoOtherRegistry(root: string, registry: string): void {
  const { succeeded, stdout, stderr } = askPnpm(root, "config", "get", "@jaf:registry");
  if (!succeeded) throw new ReleaseError(`pnpm couldn't read your settings. ${stderr}`);
  if (stdout === "undefined" || withSlash(stdout) === withSlash(registry)) return;
  throw new ReleaseError(
    `Your settings have \`@jaf:registry=${stdout}\`, so pnpm would upload there and not to ${registry}. Remove the ` +
      "setting, e.g. from `~/.npmrc`.",
  );
}

/** Reads one package, so that a wrong address is found before the checks, which take minutes. */
export async function requireRegistry(registry: string, name: string): Promise<void> {
  await readPackument(registry, name);
}
