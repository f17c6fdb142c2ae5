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
