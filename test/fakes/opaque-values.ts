import { createHmac, randomBytes } from "node:crypto";

/** A model that opaque values belong to, e.g. `anthropic/claude-opus-4-5`. */
export type Owner = string;

/**
 * The opaque values of all fakes of a test: what one model gave must come back as it was, and go to no other. They look like
 * the services' own: base64, of some hundred bytes, fresh each time.
 */
export interface OpaqueValues {
  /** A new value that belongs to the owner and to this content alone. */
  readonly issue: (owner: Owner, content: string) => string;
  /** Whether the value is the owner's own, of this content. */
  readonly isGenuine: (owner: Owner, content: string, value: string) => boolean;
  /** Whose value it is; `undefined`: nobody's. */
  readonly ownerOf: (value: string) => Owner | undefined;
  /** The values of others in a request to this owner. */
  readonly foreignIn: (request: string, owner: Owner) => readonly string[];
  /** How many of the owner's own values a request holds. */
  readonly ownIn: (request: string, owner: Owner) => number;
  /** How many were issued. */
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
    // Compared as text, since a base64 text may be changed without a change of its bytes.
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
