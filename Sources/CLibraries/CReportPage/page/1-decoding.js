// What the page holds: JSON, and arrays and pictures as base 64 in elements of their own.

const page = JSON.parse(document.getElementById("page").textContent);

/** The bytes of an element with data. */
function bytesOf(section) {
  const element = document.getElementById("data-" + section);
  const text = atob(element.textContent);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** The decompressed bytes of an element with an array. */
async function inflated(section) {
  const stream = new Blob([bytesOf(section)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Reads integers: component by component, each as the difference to the one before, with the sign in the lowest bit and
 * seven bits in a byte.
 */
async function integers(section, count, width, Type = Int32Array) {
  const bytes = await inflated(section);
  const values = new Type(count * width);
  let place = 0;
  for (let component = 0; component < width; component++) {
    let last = 0;
    for (let index = component; index < values.length; index += width) {
      let byte = bytes[place++], code = byte & 127, scale = 128;
      while (byte > 127) {
        byte = bytes[place++];
        code += (byte & 127) * scale;
        scale *= 128;
      }
      last += code % 2 ? -(code + 1) / 2 : code / 2;
      values[index] = last;
    }
  }
  return values;
}

/** Reads numbers that lie on a grid. */
async function onGrid(grid, count, width) {
  const places = await integers(grid.data, count, width);
  const values = new Float32Array(places.length);
  for (let index = 0; index < values.length; index++) {
    values[index] = grid.minimum[index % width] + grid.step * places[index];
  }
  return values;
}

/** A picture in the page, decoded. */
function picture(entry) {
  return createImageBitmap(new Blob([bytesOf(entry.data)], { type: entry.type }));
}

/** Makes an element; strings among the children become text, whatever they hold. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

function byID(id) { return document.getElementById(id); }

function grouped(number) { return Math.round(number).toLocaleString("en").replaceAll(",", "\u202F"); }

/** A length in the unit in which it reads well. */
function lengthText(meters) {
  const size = Math.abs(meters);
  if (size === 0) return "0";
  if (size < 0.01) return (1000 * meters).toFixed(2) + " mm";
  if (size < 1) return (100 * meters).toFixed(2) + " cm";
  return meters.toFixed(size < 100 ? 3 : 2) + " m";
}

function areaText(squareMeters) { return squareMeters.toFixed(squareMeters < 10 ? 3 : 2) + " m²"; }

function secondsText(seconds) {
  if (seconds < 60) return seconds.toFixed(seconds < 10 ? 2 : 1) + " s";
  return Math.floor(seconds / 60) + " min " + Math.round(seconds % 60) + " s";
}

function sizeText(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < 3; unit++) bytes /= 1000;
  return (unit === 0 ? bytes : bytes.toPrecision(3)) + " " + units[unit];
}
