/** The ids of calls on the wire: each call has one of its own, whatever the turns before it used. */
export interface CallIds {
  /** `isOwn`: the endpoint gave it, and knows it as it is. */
  readonly open: (id: string, isOwn: boolean) => string;
  /** Of the latest call of this id. */
  readonly answered: (id: string) => string;
}

/** OpenAI's longest. */
const VALID = /^[a-zA-Z0-9_-]{1,40}$/;

export function callIds(): CallIds {
  const latest = new Map<string, string>();
  const taken = new Set<string>();
  return {
    open: (id, isOwn) => {
      const base = isOwn || VALID.test(id) ? id : `call_${digest(id)}`;
      let wire = base;
      for (let count = 2; taken.has(wire); count++) {
        wire = `${base}_${count}`;
        if (wire.length > 40 && base.length <= 40) wire = `call_${digest(wire)}`;
      }
      taken.add(wire);
      latest.set(id, wire);
      return wire;
    },
    answered: (id) => latest.get(id) ?? (VALID.test(id) ? id : `call_${digest(id)}`),
  };
}

/** FNV-1a of 64 bits: the same id is the same on the wire at each request, so that prompt caches hold. */
function digest(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
