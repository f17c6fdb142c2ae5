import { basename } from "node:path";

/** The names of a new package, and what its template calls them. */
export interface Names {
  /** What `JAF_MEMORY_TYPE` is set to, e.g. `lmdb`. */
  readonly type: string;
  /** E.g. `jaf-memory-lmdb`. */
  readonly packageName: string;
}

/** An error of the user, whose message is all that is shown. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

// As `@jaf/memory` accepts it. Every such name is also a valid name of an npm package.
const TYPE = /^[a-z][a-z0-9-]{0,49}$/;
/** A name of a package with a scope, e.g. `@me/jaf-memory-lmdb`. */
const SCOPED = /^@[^/\\]*[/\\]/;
const TAKEN = ["memory", "postgres", "redis"];

/** Takes `lmdb`, `jaf-memory-lmdb` or a path that ends with one of them. Throws a `UsageError` if the name is invalid. */
export function namesOf(folder: string): Names {
  if (SCOPED.test(folder)) {
    throw new UsageError(
      `"${folder}" is no name for an adapter. Leave the scope out: JAF finds a package only as jaf-memory-<store>.`,
    );
  }
  const type = basename(folder).replace(/^jaf-memory-/, "");
  if (!TYPE.test(type)) {
    throw new UsageError(
      `"${basename(folder)}" is no name for an adapter. Use jaf-memory-<store>, where <store> is a lower-case letter, then up to 49 lower-case letters, digits and hyphens.`,
    );
  }
  if (TAKEN.includes(type)) throw new UsageError(`"${type}" is an adapter of JAF's own. Use another name.`);
  return { type, packageName: `jaf-memory-${type}` };
}

/** Returns the text of a template file with the names of the new package. */
export function withNames(text: string, { type }: Names): string {
  const pascal = type
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
  return text
    .replaceAll("my-store", type)
    .replaceAll("MyStore", pascal)
    .replaceAll("MY_STORE", type.toUpperCase().replaceAll("-", "_"));
}
