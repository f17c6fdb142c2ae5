/** What a registry has of a package. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ReleaseError } from "./failure.ts";

interface Packument {
  readonly versions?: Readonly<
    Record<string, { readonly dist?: { readonly integrity?: string; readonly shasum?: string } }>
  >;
}

async function readPackument(registry: string, name: string): Promise<Packument> {
  const url = `${registry.replace(/\/+$/, "")}/${name.replace("/", "%2f")}`;
  const response = await fetch(url, { headers: { accept: "application/json" } }).catch((thrown: unknown) => {
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
  { name, version, tarball }: { readonly name: string; readonly version: string; readonly tarball: string },
): Promise<Presence> {
  const { versions = {} } = await readPackument(registry, name);
  const dist = versions[version]?.dist;
  if (dist === undefined) return "missing";
  const bytes = readFileSync(tarball);
  const hash = createHash("sha512").update(bytes).digest("base64");
  return dist.integrity === `sha512-${hash}` ? "same" : "different";
}

/** Reads one package, so that a wrong address is found before the checks, which take minutes. */
export async function requireRegistry(registry: string, name: string): Promise<void> {
  await readPackument(registry, name);
}
