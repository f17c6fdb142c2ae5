const PATHS = {
  plus: "M10 4v12M4 10h12",
  send: "M10 16V4M5 9l5-5 5 5",
  stop: "M6 6h8v8H6z",
  menu: "M3 6h14M3 10h14M3 14h14",
  close: "M5 5l10 10M15 5L5 15",
  pencil: "M12.500 4.500l3 3L7 16H4v-3z",
  trash: "M4 6h12M8 6V4h4v2M6 6l.7 10h6.600L14 6",
  retry: "M15.500 8A6 6 0 1 0 16 11M16 4v4h-4",
  eye: "M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 7.800a2.200 2.200 0 1 0 0 4.400 2.200 2.200 0 0 0 0-4.400z",
  person: "M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 16.500c.6-3 3-4.500 6-4.500s5.400 1.500 6 4.500",
  pulse: "M2 10h4l2-5 4 10 2-5h4",
  spark: "M10 3l1.800 5.200L17 10l-5.200 1.800L10 17l-1.800-5.200L3 10l5.200-1.800z",
  check: "M4 10.500l4 4 8-9",
  tool: "M12 4a4 4 0 0 0-3.800 5.200L3.500 14l2.500 2.500 4.800-4.700A4 4 0 0 0 16 8l-2.300 2.200-2.400-.5-.5-2.400L13 5",
  search: "M9 14A5 5 0 1 0 9 4a5 5 0 0 0 0 10zM13 13l4 4",
  sum: "M14.500 5V4h-9l5 6-5 6h9v-1",
  copy: "M7 7h9v9H7zM4 13V4h9",
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. The label beside it has the meaning. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);
