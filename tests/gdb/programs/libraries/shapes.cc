// The library of `library`.
extern "C" int measured;
int measured;

static int area(int width, int height) {
  int result = width * height;
  measured++;
  return result;
}

extern "C" int measure(int width, int height) {
  return area(width, height);
}
