import { createHmac, randomBytes } from "node:crypto";

/** A model that opaque values belong to, e.g. `anthropic/claude-opus-4-5`. */
export type Owner = string;

/**
 * The opaque values of all fakes of a test. A model's values must come back unchanged, and must not reach another model.
 * They look like the services' own: base64, some hundred bytes, always new.
 */
export interface OpaqueValues {
  /** Creates a value that belongs only to this owner and content. */
  readonly issue: (owner: Owner, content: string) => string;
  /** Whether the value belongs to this owner and content. */
  readonly isGenuine: (owner: Owner, content: string, value: string) => boolean;
  /** The value's owner; `undefined` if it has none. */
  readonly ownerOf: (value: string) => Owner | undefined;
  /** Values of other owners in a request to this owner. */
  readonly foreignIn: (request: string, owner: Owner) => readonly string[];
  /** The number of the owner's values in a request. */
  readonly ownIn: (request: string, owner: Owner) => number;
  /** The number of created values. */
  readonly issued: () => number;
}

export function createOpaqueValues(): OpaqueValues {
  const secret = randomBytes(32);
  const owners = new Map<string, Owner>();
  const mac = (owner: Owner, content: string, nonce: Buffer): Buffer =>
    createHmac("sha512", secret)
      .update(JSON.stringify([owner, content]))
      .update(nonce)
      .digest();
  const issue = (owner: Owner, content: string): string => {
    const nonce = randomBytes(80);
    const value = Buffer.concat([nonce, mac(owner, content, nonce)]).toString("base64");
    owners.set(value, owner);
    return value;
  };
  const isGenuine = (owner: Owner, content: string, value: string): boolean => {
    const bytes = Buffer.from(value, "base64");
    const nonce = bytes.subarray(0, 80);
    // Compared as text, because a base64 text can change without a change of its bytes.
    return (
      owners.get(value) === owner &&
      Buffer.concat([nonce, mac(owner, content, nonce)]).toString("base64") === value
    );
  };
  const valuesIn = (request: string) => [...owners].filter(([value]) => request.includes(value));
  return {
    issue,
    isGenuine,
    ownerOf: (value) => owners.get(value),
    foreignIn: (request, owner) =>
      valuesIn(request).flatMap(([value, other]) => (other === owner ? [] : [value])),
    ownIn: (request, owner) => valuesIn(request).filter(([, other]) => other === owner).length,
    issued: () => owners.size,
  };
}
