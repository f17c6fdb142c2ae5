/** The ids of calls on the wire: each call has one of its own, whatever the turns before it used. */
export interface CallIds {
  /** `isOwn`: the endpoint gave it, and knows it as it is. */
  readonly open: (id: string, isOwn: boolean) => string;
  /** Of the latest call of this id. */
  readonly answered: (id: string) => string;
}

/** `own`: all that the endpoint gave, which no other call may have. `maxLength`: of the ids that it takes. */
export function callIds(own: ReadonlySet<string>, maxLength: number): CallIds {
  const isValid = (id: string): boolean => id.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(id);
  const shortened = (id: string): string => (id.length <= maxLength ? id : digested(id));
  const latest = new Map<string, string>();
  const taken = new Set<string>();
  const isFree = (wire: string): boolean => !taken.has(wire) && !own.has(wire);
  const unique = (base: string): string => {
    let wire = base;
    for (let count = 2; !isFree(wire); count++) wire = shortened(`${base}_${count}`);
    return wire;
  };
  return {
    open: (id, isOwn) => {
      const wire = isOwn && !taken.has(id) ? id : unique(isValid(id) ? id : digested(id));
      taken.add(wire);
      latest.set(id, wire);
      return wire;
    },
    answered: (id) => latest.get(id) ?? (isValid(id) ? id : digested(id)),
  };
}

const digested = (id: string): string => `call_${digest(id)}`;

/** FNV-1a of 64 bits: the same id is the same on the wire at each request, so that prompt caches hold. */
function digest(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
