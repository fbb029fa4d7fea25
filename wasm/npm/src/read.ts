/** The bytes of a file that lies beside the package's code, over the network. */
export async function read(url: URL | string): Promise<ArrayBuffer> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`status ${response.status} for ${url}`)
  return response.arrayBuffer()
}
