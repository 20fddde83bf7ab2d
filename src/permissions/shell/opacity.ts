/** Why it cannot be told what a text, or a part of it, runs. */
export interface Opacity {
  readonly opaque: string;
}

export function opaque(why: string): Opacity {
  return { opaque: why };
}
