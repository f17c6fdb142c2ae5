/** The names of tools on the wire, and back. */
export interface ToolNames {
  readonly toWire: (name: string) => string;
  /** A name that stands for no other is itself. */
  readonly toOwn: (wire: string) => string;
}

const VALID = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_LENGTH = 64;

/**
 * Endpoints refuse names of other than 1 to 64 letters, digits, `_` and `-`. A name that is none gets one, the same at
 * each request with the same tools; `own` are the agent's tools, whose names come first. `valid`: where an endpoint is
 * stricter still, and takes what begins with `_`.
 */
export function toolNames(own: readonly string[], valid = VALID): ToolNames {
  const wires = new Map<string, string>();
  const owns = new Map<string, string>();
  const add = (name: string, wire: string): string => {
    wires.set(name, wire);
    owns.set(wire, name);
    return wire;
  };
  const rename = (name: string): string => {
    const replaced = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_LENGTH) || "_";
    const base = valid.test(replaced) ? replaced : `_${replaced}`.slice(0, MAX_LENGTH);
    let wire = base;
    for (let count = 2; owns.has(wire); count++) wire = `${base.slice(0, MAX_LENGTH - 6)}_${count}`;
    return wire;
  };
  for (const name of own) if (valid.test(name)) add(name, name);
  const toWire = (name: string): string =>
    wires.get(name) ?? add(name, valid.test(name) && !owns.has(name) ? name : rename(name));
  own.forEach(toWire);
  return { toWire, toOwn: (wire) => owns.get(wire) ?? wire };
}

/** The ids of calls on the wire: each call has one of its own, whatever ids were used before. */
export interface CallIds {
  /** `isOwn`: the endpoint gave it, and knows it as it is. */
  readonly open: (id: string, isOwn: boolean) => string;
  /** Of the latest call of this id. */
  readonly answered: (id: string) => string;
}

/** `own`: all that the endpoint gave, which no other call may have. Others are at most `maxLength` characters long. */
export function callIds(own: ReadonlySet<string>, maxLength: number): CallIds {
  const isValid = (id: string): boolean => id.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(id);
  const shortened = (id: string): string => (id.length <= maxLength ? id : hashedId(id));
  const latest = new Map<string, string>();
  const used = new Set<string>();
  const isFree = (wire: string): boolean => !used.has(wire) && !own.has(wire);
  const unique = (base: string): string => {
    let wire = base;
    for (let count = 2; !isFree(wire); count++) wire = shortened(`${base}_${count}`);
    return wire;
  };
  return {
    open: (id, isOwn) => {
      const wire = isOwn && !used.has(id) ? id : unique(isValid(id) ? id : hashedId(id));
      used.add(wire);
      latest.set(id, wire);
      return wire;
    },
    answered: (id) => latest.get(id) ?? (isValid(id) ? id : hashedId(id)),
  };
}

const hashedId = (id: string): string => `call_${digest(id)}`;

/** FNV-1a of 64 bits: the same id is the same on the wire at each request, so that prompt caches hold. */
function digest(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
