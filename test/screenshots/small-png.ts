// Rewrites a screenshot with a palette of at most 256 colours, which takes a third of the bytes.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** One number per pixel: red, green and blue in one byte each. */
  readonly colors: Uint32Array;
}

const chunksOf = (png: Buffer): readonly { readonly type: string; readonly data: Buffer }[] => {
  const chunks = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
};

/** The predictor of PNG. @see https://www.w3.org/TR/png/#9Filter-type-4-Paeth */
const paeth = (left: number, above: number, corner: number): number => {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(guess - value)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
};

/** Reads a PNG as Chromium writes it: 8 bits, red, green and blue, perhaps with alpha, not interlaced. */
const pixelsOf = (png: Buffer): Pixels => {
  const chunks = chunksOf(png);
  const head = chunks[0]?.data ?? Buffer.alloc(13);
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const bytes = head[9] === 6 ? 4 : 3;
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const lines = inflateSync(packed);
  const stride = width * bytes;
  const colors = new Uint32Array(width * height);
  let before = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const filter = lines[y * (stride + 1)] ?? 0;
    const line = new Uint8Array(lines.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; x += 1) {
      const left = line[x - bytes] ?? 0;
      const above = before[x] ?? 0;
      const corner = before[x - bytes] ?? 0;
      const added = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      line[x] = (line[x] ?? 0) + added;
    }
    for (let x = 0; x < width; x += 1) {
      const [red = 0, green = 0, blue = 0] = line.subarray(x * bytes, x * bytes + 3);
      colors[y * width + x] = (red << 16) | (green << 8) | blue;
    }
    before = line;
  }
  return { width, height, colors };
};

const distance = (one: number, other: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);

/** The most frequent colours, and for each colour the nearest of them. */
const paletteOf = (
  colors: Uint32Array,
): { readonly palette: readonly number[]; readonly indexOf: Map<number, number> } => {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color);
  const palette = byCount.slice(0, 160);
  // A small mark may have a colour that is rare and unlike all others.
  const rest = byCount
    .slice(160)
    .map((color) => ({ color, far: Math.min(...palette.map((each) => distance(each, color))) }));
  while (palette.length < 256 && rest.length > 0) {
    const next = rest.reduce((one, other) => (other.far > one.far ? other : one));
    rest.splice(rest.indexOf(next), 1);
    palette.push(next.color);
    for (const each of rest) each.far = Math.min(each.far, distance(each.color, next.color));
  }
  const indexOf = new Map(palette.map((color, index) => [color, index]));
  for (const color of counts.keys()) {
    if (indexOf.has(color)) continue;
    const distances = palette.map((each) => distance(each, color));
    indexOf.set(color, distances.indexOf(Math.min(...distances)));
  }
  return { palette, indexOf };
};

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};

/** The same picture with a palette. */
export const smallPng = (png: Buffer): Buffer => {
  const { width, height, colors } = pixelsOf(png);
  const { palette, indexOf } = paletteOf(colors);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8);
  const lines = Buffer.alloc((width + 1) * height);
  colors.forEach((color, at) => {
    const y = Math.floor(at / width);
    lines[y * (width + 1) + 1 + (at - y * width)] = indexOf.get(color) ?? 0;
  });
  const entries = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', entries),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};
