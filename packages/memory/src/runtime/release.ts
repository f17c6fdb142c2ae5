/** The packages that called {@link checkRelease}, in the form `name@version`. */
const callers = new Set<string>();

/**
 * Throws a `TypeError` if the calling package needs another release of `@jaf/memory` than the installed one. npm refuses to
 * install such packages together, but pnpm, yarn and bun only warn.
 *
 * `release` is the caller's `globalThis.JAF_RELEASE`. It is `undefined` if sources run, which aren't checked. Packages of
 * other releases call this function, so its name and its parameter must not change.
 */
export function checkRelease(release: string | undefined): void {
  const own = globalThis.JAF_RELEASE;
  if (release === undefined || own === undefined) return;
  callers.add(release);
  const message = mismatchOf(release, own, callers);
  if (message !== undefined) throw new TypeError(message);
}

/**
 * Returns what is wrong and what to install if `release` doesn't fit `memory`, the release of `@jaf/memory`. `others` are
 * more releases in the same program: those that have to be updated, too, are named.
 */
export function mismatchOf(release: string, memory: string, others: Iterable<string>): string | undefined {
  const [name, version] = nameAndVersion(release);
  const [peer, installed] = nameAndVersion(memory);
  const { fits, isNewer } = compare(version, installed);
  if (fits) return undefined;
  const wanted = isNewer ? installed : version;
  const names = [...others]
    .map(nameAndVersion)
    .filter((other) => !compare(wanted, other[1]).fits)
    .map(([other]) => other);
  const command = [...new Set([name, peer, ...names])].map((each) => `${each}@^${wanted}`).join(" ");
  return `${name} ${version} needs ${peer} ^${version}, and ${installed} is installed. Install all @jaf packages in one release: npm install ${command}`;
}

function nameAndVersion(release: string): readonly [name: string, version: string] {
  const at = release.lastIndexOf("@");
  return [release.slice(0, at), release.slice(at + 1)];
}

/**
 * Compares two versions. `fits`: the range `^wanted` has `version`, by npm's rule: it isn't older, and the first number
 * that isn't 0 is the same.
 */
function compare(wanted: string, version: string): { readonly fits: boolean; readonly isNewer: boolean } {
  const [from, to] = [numbersIn(wanted), numbersIn(version)];
  const changed = from.findIndex((number, place) => number !== to[place]);
  if (changed === -1) return { fits: true, isNewer: false };
  const isNewer = (to[changed] ?? 0) > (from[changed] ?? 0);
  return { fits: isNewer && changed > from.findIndex((number) => number > 0), isNewer };
}

/** Returns the three numbers of a version, and that of a prerelease, which is older than its release. */
function numbersIn(version: string): readonly number[] {
  const [major = 0, minor = 0, patch = 0, prerelease = Number.POSITIVE_INFINITY] =
    version.match(/\d+/g)?.map(Number) ?? [];
  return [major, minor, patch, prerelease];
}
