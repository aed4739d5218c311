import java.io.FileInputStream;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Asks each address with OkHttp and one trusted root, as the app does. Prints a line for each: the status and the version of TLS, or the exception. */
class Peer {
  public static void main(String[] args) throws Exception {
    KeyStore roots = KeyStore.getInstance(KeyStore.getDefaultType());
    roots.load(null);
    try (FileInputStream file = new FileInputStream(args[0])) {
      roots.setCertificateEntry("root", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(roots);
    X509TrustManager trust = (X509TrustManager) factory.getTrustManagers()[0];
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {trust}, null);
    OkHttpClient client =
        new OkHttpClient.Builder()
            .sslSocketFactory(context.getSocketFactory(), trust)
            .callTimeout(10, TimeUnit.SECONDS)
            .retryOnConnectionFailure(false)
            .build();
    for (int i = 1; i < args.length; i++) {
      try (Response response = client.newCall(new Request.Builder().url(args[i]).build()).execute()) {
        System.out.println(response.code() + " " + response.handshake().tlsVersion());
      } catch (Exception error) {
        System.out.println(error.getClass().getSimpleName() + ": " + String.valueOf(error.getMessage()).split("\n")[0]);
      }
    }
    client.dispatcher().executorService().shutdown();
  }
}
